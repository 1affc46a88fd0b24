"""A bare, partial copy of a repository: no working tree, blobs by id, sizes first."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from toolweave.errors import NotFound, Unavailable
from toolweave.library.git import Git, GitResult
from toolweave.library.remote import Remote, is_commit, may_be_commit
from toolweave.settings import MIB
from toolweave.storage.files import make_private_folder

MAX_FILE_BYTES = MIB  # A flow file is at most 1 MB.
MAX_FILES = 2_000
MAX_DEPTH = 8
MAX_PATH = 400
_FILE_MODES = {"100644", "100755"}
WRONG_USE = 129
_QUIETLY = (
    *("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"),
    *("--no-auto-maintenance", "--", "origin"),
)
_ODD_MODES = {"120000": "a link", "160000": "a submodule"}


@dataclass(frozen=True, slots=True)
class Head:
    """The commit of a ref at the remote."""

    name: str
    commit: str


@dataclass(frozen=True, slots=True)
class File:
    """A file of a tree."""

    path: str
    blob: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The JSON files of a folder, other plain files, and why some were skipped."""

    files: tuple[File, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    others: tuple[File, ...] = ()


class Repository:
    """One bare repository on disk and its remote."""

    def __init__(self, folder: Path, remote: Remote, git: Git) -> None:
        self._folder = folder
        self._remote = remote
        self._git = git

    async def prepare(self) -> None:
        """Create the empty copy, unless it exists."""
        if (self._folder / "HEAD").exists():
            return
        make_private_folder(self._folder.parent)
        # An empty template: no hooks, no examples.
        done = await self._git.here(
            self._folder, "init", "--bare", "--quiet", "--template=", "--initial-branch=main"
        )
        _require(done, "the cache cannot be created")

    async def default_branch(self) -> str:
        """Return the default branch of the remote. Raises `GITHUB_ERROR`."""
        done = await self._ask("ls-remote", "--symref", "--", "origin", "HEAD")
        for line in done.out.decode("utf-8", "replace").splitlines():
            words = line.split()
            if len(words) == 3 and words[0] == "ref:" and words[1].startswith("refs/heads/"):
                return words[1].removeprefix("refs/heads/")
        raise Unavailable(
            "GITHUB_ERROR", "the repository has no default branch", hint="give one with --ref"
        )

    async def head(self, ref: str) -> Head:
        """Return the commit of `ref` without fetching it. Raises `LIBRARY_REF_NOT_FOUND`."""
        if is_commit(ref):
            return Head(ref, ref)
        branch, tag = f"refs/heads/{ref}", f"refs/tags/{ref}"
        done = await self._ask("ls-remote", "--", "origin", branch, tag, f"{tag}^{{}}")
        found: dict[str, str] = {}
        for line in done.out.decode("utf-8", "replace").splitlines():
            commit, _, name = line.partition("\t")
            found[name] = commit
        for name in (branch, f"{tag}^{{}}", tag):
            if name in found and is_commit(found[name]):
                return Head(name.removesuffix("^{}"), found[name])
        if may_be_commit(ref) and (commit := await self._whole_commit(ref)):
            return Head(commit, commit)
        raise NotFound(
            "LIBRARY_REF_NOT_FOUND",
            f"the repository has no branch, tag or commit {ref!r}",
            hint="give a branch, a tag or a commit's id with --ref",
        )

    async def _whole_commit(self, short: str) -> str | None:
        """The commit whose id begins so, found in the history without any contents."""
        refs = ("+refs/heads/*:refs/known/heads/*", "+refs/tags/*:refs/known/tags/*")
        await self._ask("fetch", "--filter=tree:0", *_QUIETLY, *refs)
        done = await self._git.here(
            self._folder, "rev-parse", "--verify", "--quiet", f"{short}^{{commit}}"
        )
        found = done.out.decode("ascii", "replace").strip()
        return found if done.code == 0 and is_commit(found) else None

    async def bring(self, head: Head) -> str:
        """Fetch a commit and its trees without contents; return the fetched commit."""
        if await self._has(head.commit):
            return head.commit
        done = await self._ask("fetch", "--depth=1", "--filter=blob:none", *_QUIETLY, head.name)
        if not await self._has(head.commit):
            raise Unavailable(
                "GITHUB_ERROR",
                f"the commit {head.commit[:12]} could not be fetched: {_told(done)}",
                hint="try again: the branch may have moved meanwhile",
            )
        return head.commit

    async def bring_folder(self, commit: str, folder: str) -> None:
        """Fetch the contents of a folder in one request, without files over the limit."""
        done = await self._git.here(self._folder, "rev-parse", "--verify", f"{commit}:{folder}")
        tree = done.out.decode("ascii", "replace").strip()
        if done.code or not is_commit(tree):
            return  # the folder does not exist
        missing = await self._missing(commit, folder)
        if not missing:
            return
        # The tree is here without its contents: fetch it again with those that fit.
        limited = ("--refetch", f"--filter=blob:limit={MAX_FILE_BYTES + 1}", *_QUIETLY)
        done = await self._git.there(self._folder, self._remote, "fetch", *limited, tree)
        if done.code == WRONG_USE:  # git before 2022; the size is measured all the same
            await self._ask("fetch", "--filter=blob:none", *_QUIETLY, *missing)
        elif done.code:
            raise self._silent(done)

    async def files(self, commit: str, folder: str) -> Listing:
        """Return the files below a folder by path, without links, submodules and deep ones."""
        done = await self._git.here(
            self._folder, "ls-tree", "-r", "-z", "--full-tree", commit, "--", f"{folder}/"
        )
        _require(done, f"the folder {folder!r} cannot be listed")
        files: list[File] = []
        others: list[File] = []
        skipped: list[tuple[str, str]] = []
        for line in done.out.decode("utf-8", "replace").split("\0"):
            about, _, path = line.partition("\t")
            mode, _, rest = about.partition(" ")
            if not path:
                continue
            kept = files if path.lower().endswith(".json") else others
            why = _odd(mode, path, len(kept))
            if why:
                skipped.append((path, why))
            else:
                kept.append(File(path, rest.rpartition(" ")[2]))
        return Listing(tuple(files), tuple(skipped[:MAX_FILES]), tuple(others))

    async def read(self, files: Sequence[File]) -> tuple[dict[str, bytes], dict[str, str]]:
        """Return the contents of files by path, and why some were skipped; sizes come first."""
        wanted = "".join(f"{file.blob}\n" for file in files).encode()
        sizes = await self._git.here(self._folder, "cat-file", "--batch-check", given=wanted)
        _require(sizes, "the files cannot be inspected")
        readable: list[File] = []
        refused: dict[str, str] = {}
        for file, line in zip(files, sizes.out.decode("ascii").splitlines(), strict=True):
            _, kind, *size = line.split(" ")
            if kind == "blob" and size and int(size[0]) <= MAX_FILE_BYTES:
                readable.append(file)
            else:
                refused[file.path] = f"it is larger than {MAX_FILE_BYTES} bytes"
        given = "".join(f"{file.blob}\n" for file in readable).encode()
        done = await self._git.here(self._folder, "cat-file", "--batch", given=given)
        _require(done, "the files cannot be read")
        return dict(zip((one.path for one in readable), _batch(done.out), strict=True)), refused

    async def _missing(self, commit: str, folder: str) -> list[str]:
        listing = await self.files(commit, folder)
        files = (*listing.files, *listing.others)
        wanted = "".join(f"{file.blob}\n" for file in files).encode()
        done = await self._git.here(self._folder, "cat-file", "--batch-check", given=wanted)
        lines = done.out.decode("ascii").splitlines()
        return [line.partition(" ")[0] for line in lines if line.endswith(" missing")]

    async def _has(self, commit: str) -> bool:
        done = await self._git.here(self._folder, "cat-file", "-e", f"{commit}^{{tree}}")
        return done.code == 0

    async def _ask(self, *arguments: str) -> GitResult:
        done = await self._git.there(self._folder, self._remote, *arguments)
        if done.code:
            raise self._silent(done)
        return done

    def _silent(self, done: GitResult) -> Unavailable:
        return Unavailable(
            "GITHUB_ERROR",
            f"the repository {self._remote.url!r} did not answer: {_told(done)}",
            hint="check the address; for a private repository store a token with "
            "`toolweave secrets set git:HOST`, or use ssh with a key",
        )


def _batch(out: bytes) -> list[bytes]:
    """Parse the output of `cat-file --batch`."""
    found: list[bytes] = []
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        size = int(out[at:end].rpartition(b" ")[2])
        found.append(out[end + 1 : end + 1 + size])
        at = end + size + 2
    return found


def _odd(mode: str, path: str, taken: int) -> str | None:
    if mode not in _FILE_MODES:
        return f"it is {_ODD_MODES.get(mode, 'no plain file')}"
    if len(PurePosixPath(path).parts) > MAX_DEPTH or len(path) > MAX_PATH:
        return f"it is more than {MAX_DEPTH} folders deep"
    if not path.isprintable():
        return "its name has unprintable characters"
    return f"there are more than {MAX_FILES} files" if taken >= MAX_FILES else None


def _require(done: GitResult, what: str) -> None:
    if done.code:
        raise Unavailable("GITHUB_ERROR", f"{what}: {_told(done)}")


def _told(done: GitResult) -> str:
    lines = [line for line in done.error.splitlines() if line.strip()]
    told = lines[-1] if lines else f"git ended with {done.code}"
    return "".join(one if one.isprintable() else " " for one in told)[:300]
