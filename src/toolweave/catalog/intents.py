"""What people say when they want a kind of step, without naming it: "give up after an hour".

Each entry is an everyday form of words and the words of the catalog that it stands for. They are
made from what each node does; data to edit by meaning, not by query.
"""

import re
from collections.abc import Iterator

from toolweave.patterns import pattern

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_TIMES = r"(?:second|minute|hour|day|week|month)s?"
_FORMS = r"(?:json|csv|xml|yaml|html|markdown)"
_TEAMS = r"(?:team|department|category|group|queue|person|folder|topic|kind|type|class)"
_GET = r"(?:get|pull|take|pick|grab|find|extract)"
_SOURCES = r"(?:text|e-?mails?|mails?|invoices?|letters?|pdfs?|documents?|messages?|receipts?|cv)"

_INTENTS: tuple[tuple[str, str], ...] = (
    (r"\b(?:give|giving) up\b|\babandon|\babort|\bstop waiting\b|\btime limit\b", "timeout"),
    (r"\b(?:takes?|lasts?|runs?) (?:too long|longer|more) |\bno longer than\b", "timeout"),
    (r"\bclosing date\b|\bdeadline\b|\bdue date\b|\bexpire|\btoo late\b", "timeout deadline"),
    (rf"\bdecide (?:which|what|who|where)\b|\bwhich {_TEAMS}\b", "classify category"),
    (rf"\b(?:right|correct|proper|responsible|appropriate) {_TEAMS}\b", "classify category"),
    (r"\bpositive or negative\b|\bspam or\b|\bsentiment\b|\bmood\b|\bwhat kind of\b", "classify"),
    (rf"\b{_GET}\b.{{1,60}}\b(?:from|out of)\b.{{0,25}}\b{_SOURCES}\b", "extract fields"),
    (r"\bkeep (?:checking|asking|polling|looking)\b|\b(?:poll|check)\b.*\b(?:until|whether)\b",
     "wait poll"),
    (r"\buntil\b.*\b(?:done|ready|finished|arrives?|there|complete|available)\b", "wait until"),
    (r"\b(?:different|another|other|separate) (?:path|way|route|branch|direction)\b", "if branch"),
    (r"\b(?:above|below|over|under|exceeds?|(?:more|less|greater|higher|lower) than) \W?\d",
     "if condition"),
    (r"\b(?:only )?continue (?:only )?if\b|\botherwise\b|\bif .*\belse\b", "if condition"),
    (r"\bdepend(?:s|ing) on\b|\bone of (?:several|many|three|four)\b", "switch cases"),
    (r"\beach (?:status|kind|type|case|value|category)\b.*\b(?:different|own|separate)\b",
     "switch cases"),
    (r"\bfrom \d+ (?:to|up to) \d+\b|\b(?:\d+|ten|five|three) times\b|\bcount (?:up|down)\b",
     "loop"),
    (r"\b(?:throw|leave|weed|cast) (?:away|out)\b|\bget rid of\b|\bignore\b", "filter exclude"),
    (r"\b(?:entries|items|rows|records|orders|customers|lines) (?:with|without|that|whose|where)\b",
     "filter keep"),
    (r"\b(?:should|can|must|will|may) (?:notify|call|tell|inform|ping|reach) (?:us|me|our)\b",
     "webhook"),
    (r"\bcalled (?:by|from)\b|\bincoming (?:request|call|http|event)\b", "webhook"),
    (r"\b(?:call|hit|ask|use|talk to|contact)\b.{0,20}\b(?:api|service|endpoint|backend|url)\b",
     "http request api"),
    (r"\bbearer\b|\brest\b.{0,8}\b(?:api|call|request)\b", "http request api"),
    (r"\b(?:calculate|compute|multiply|divide|subtract|work out|gross|vat|percent)\w*\b",
     "set fields expression transform"),
    (rf"\b(?:string|text|content|body|file) is {_FORMS}\b|\b{_FORMS} (?:text|string|into|to)\b",
     "parse"),
    (rf"\bturn .{{1,40}} into (?:an? )?(?:object|{_FORMS}|rows|records)\b|\binto an object\b",
     "parse"),
    (r"\bfour.eyes\b|\bpair of eyes\b|\bsign.?off\b|\bok from\b|\bgo.ahead\b",
     "approval review"),
    (r"\b(?:boss|manager|supervisor|someone|human|person) (?:to|must|has to|should|says?)\b",
     "approval human"),
    (rf"\bevery (?:\w+ )?(?:{_TIMES}|morning|evening|night|noon|weekday|year|{_DAYS})\b",
     "cron schedule"),
    (rf"\bon {_DAYS}\b|\bat \d{{1,2}}(?::\d\d)? ?(?:am|pm)\b|\bo.?clock\b|\bat (?:noon|midnight)\b",
     "cron schedule"),
    (r"\b(?:once|twice) (?:a|per|every) (?:day|week|month|hour|year)\b|\bin the morning\b",
     "cron schedule"),
    (rf"\b(?:sleep|pause|wait|hold)\b.{{0,12}}\b(?:an?|one|two|ten|few|\d+) {_TIMES}\b", "delay"),
    (r"\b(?:another|other|separate|existing|child|nested|different) workflows?\b|\bsub.?workflow\b",
     "subworkflow"),
    (r"\b(?:run|workflow|job|process|automation)s? (?:fail|break|crash|goes? wrong|went wrong)\w*",
     "failed workflow trigger"),
    (r"\b(?:for|do|same|run|process)\b.{0,40}\b(?:each|every)\b(?! (?:day|morning|week|hour))",
     "each for item"),
    (r"\beach item\b", "each for item"),
    (r"\bone (?:by one|after (?:another|the other)|at a time)\b|\bper (?:item|row|customer|line)\b",
     "each for item"),
    (r"\b(?:batches|chunks|groups|portions|pieces) of\b|\binto (?:batches|chunks|pieces|parts)\b",
     "split"),
    (r"\b(?:both|all) (?:lists|sources|results|branches|answers)\b|\bput\b.*\btogether\b", "merge"),
    (r"\b(?:newest|oldest|highest|lowest|cheapest|largest|smallest|latest|best) first\b", "sort"),
    (r"\balphabetical|\btop (?:\d+|ten|five|three)\b|\bin order of\b|\brank\b", "sort"),
    (r"\bgoogle (?!ai|cloud|calendar|gemini|sheet|drive|doc|mail)", "web search"),
    (r"\b(?:online|internet|on the web)\b", "web search"),
    (r"\bfill(?:ed|s)? (?:in|out)\b|\bquestionnaire\b|\bsurvey\b", "form"),
    (r"\bterminal\b|\bshell\b|\bcommand line\b|\bexecutable\b|\bbash\b", "command run"),
    (r"\b(?:save|store|write|put)\b.{1,30}\b(?:disk|file|folder)\b", "file write"),
    (r"\b(?:read|load|open)\b.{1,30}\b(?:disk|file|folder)\b", "file read"),
    (r"\bwhat (?:was|were|we|they) (?:said|talked)|\bearlier messages\b|\bprevious conversation\b",
     "conversation memory"),
)  # fmt: skip
_COMPILED = [(pattern(form, re.IGNORECASE), tuple(words.split())) for form, words in _INTENTS]


def intended(text: str) -> Iterator[str]:
    """Return the words of the catalog that a text stands for; none for most texts."""
    for form, words in _COMPILED:
        if form.search(text):
            yield from words
