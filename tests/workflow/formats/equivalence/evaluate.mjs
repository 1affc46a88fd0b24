// Reads [[text, isCondition], ...] and documents; writes what each text gives for each document.
import { readFileSync } from "node:fs";

const { texts, documents } = JSON.parse(readFileSync(0, "utf8"));

function compiled(text) {
  const names = ["trigger", "$json", "$input"];
  for (const body of [`return (${text}\n);`, text]) {
    try {
      return new Function(...names, body);
    } catch {
      // It is the other form.
    }
  }
  return null;
}

function plain(value) {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && !Number.isFinite(value)) return { $number: String(value) };
  if (typeof value === "function") return { $function: true };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
  }
  return value;
}

function given(run, text, document, isCondition) {
  if (run === null) return { error: "syntax" };
  try {
    let value = run(document, document, { item: { json: document } });
    if (typeof value === "function") value = value(document);
    return { value: isCondition ? Boolean(value) : plain(value) };
  } catch (error) {
    return { error: String(error) };
  }
}

const results = texts.map(([text, isCondition]) => {
  const run = compiled(text);
  return documents.map((one) => given(run, text, structuredClone(one), isCondition));
});
process.stdout.write(JSON.stringify(results));
