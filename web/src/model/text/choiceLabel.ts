/** The value of a choice in words: `header_token` is "Header token", `desc` is "Descending". */

import { fieldLabel } from "./fieldLabel";

const SPELLINGS: Readonly<Record<string, string>> = {
  asc: "Ascending",
  bm25: "BM25",
  chromadb: "Chroma",
  desc: "Descending",
  gmail_api: "Gmail API",
  mrkdwn: "Slack Markdown",
  rawHtml: "Raw HTML",
  sqlite: "SQLite",
  starttls: "STARTTLS",
  tf_idf: "TF-IDF",
};

/** A value that is no word, such as `GET`, `utf-8` or the name of a model, stays as it is. */
export function choiceLabel(value: string): string {
  if (Object.hasOwn(SPELLINGS, value)) return SPELLINGS[value]!;
  return /^[a-z][A-Za-z]*(_[A-Za-z\d]+)*$/.test(value) ? fieldLabel(value) : value;
}
