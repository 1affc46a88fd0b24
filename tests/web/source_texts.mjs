/** Prints every text of the studio's source that a user can see, as JSON: `node source_texts.mjs WEB FILE…`. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [web, ...files] = process.argv.slice(2);
const ts = createRequire(join(web, "package.json"))("typescript");
const { SyntaxKind } = ts;

/** Attributes whose values are names for programs. */
const CODE_ATTRIBUTES = new Set([
  "className",
  "key",
  "id",
  "type",
  "role",
  "href",
  "icon",
  "viewBox",
  "d",
]);
const IN_TEMPLATE = new Set([
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
]);

function isCode(node) {
  const { parent } = node;
  if (
    ts.isImportDeclaration(parent) ||
    ts.isExportDeclaration(parent) ||
    ts.isLiteralTypeNode(parent)
  )
    return true;
  return (
    ts.isJsxAttribute(parent) && CODE_ATTRIBUTES.has(parent.name.getText())
  );
}

/** A child of an element in its text: elements and expressions are `{}`. */
function childText(child) {
  if (ts.isJsxText(child)) return child.text;
  if (ts.isJsxExpression(child) && !child.expression) return "";
  return ts.isJsxExpression(child) && ts.isStringLiteralLike(child.expression)
    ? child.expression.text
    : "{}";
}

function textOf(node) {
  // In one piece, because a sentence goes on after an expression within it.
  if (ts.isJsxElement(node) || ts.isJsxFragment(node))
    return node.children.map(childText).join("");
  if (ts.isTemplateExpression(node)) {
    return (
      node.head.text +
      node.templateSpans.map(({ literal }) => `{}${literal.text}`).join("")
    );
  }
  return ts.isStringLiteralLike(node) && !isCode(node) ? node.text : null;
}

const texts = [];
for (const file of files) {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, "utf8"),
    ts.ScriptTarget.Latest,
    true,
    file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const visit = (node) => {
    const text = IN_TEMPLATE.has(node.kind) ? null : textOf(node);
    const line =
      source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    if (/\p{L}/u.test(text ?? ""))
      texts.push({ file, line, text: text.replace(/\s+/g, " ").trim() });
    ts.forEachChild(node, visit);
  };
  visit(source);
}
process.stdout.write(JSON.stringify(texts));
