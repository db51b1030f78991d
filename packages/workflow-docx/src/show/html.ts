import { createHash } from "node:crypto";
import type { BlockChange, Difference, OtherChange, TextPiece } from "../diff/index.js";
import { differenceSummary, otherName, sectionsOf } from "./summary.js";

/** What the two documents are called on the page. */
export type Names = { readonly old: string; readonly new: string };

const STYLE = `
:root { color-scheme: light dark; --text: #1c1c1e; --page: #fff; --soft: #5f6368; --line: #dadce0; --del: #b3261e; --del-page: #fdecea; --ins: #0b6b3a; --ins-page: #e6f4ea; }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --page: #17181a; --soft: #a3a8ae; --line: #3c4043; --del: #ff9b92; --del-page: #3a1715; --ins: #86dfa9; --ins-page: #10301d; } }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 46rem; font: 1rem/1.6 system-ui, sans-serif; color: var(--text); background: var(--page); }
h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-size: 1.1rem; overflow-wrap: anywhere; }
.change { display: flex; gap: 1rem; margin: .75rem 0; }
.where { flex: 0 0 5.5rem; color: var(--soft); font-size: .8rem; line-height: 2; }
.text { flex: 1; min-width: 0; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
del { color: var(--del); background: var(--del-page); }
ins { color: var(--ins); background: var(--ins-page); text-decoration-thickness: 1px; }
.soft { color: var(--soft); }
@media (max-width: 34rem) { .change { display: block; } }
@media print { body { max-width: none; padding: 0; } .change { break-inside: avoid; } }
`;

/**
 * What differs as an HTML page that needs nothing else: no script, no picture, no address, and a policy that allows
 * none. All of the text is shown, and characters that would turn or hide it as signs.
 */
export function differenceHtml(difference: Difference, names: Names): string {
  const title = `${names.old} → ${names.new}`;
  const sum = createHash("sha256").update(STYLE).digest("base64");
  const sections = sectionsOf(difference).map(
    ({ heading, changes }) =>
      `<section>\n${heading === null ? "" : `<h2 dir="auto">${escaped(heading)}</h2>\n`}${changes.map(changeHtml).join("")}</section>\n`,
  );
  const others = difference.others.map(otherHtml).join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${sum}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(differenceSummary(difference))}</p>
${sections.join("")}${others === "" ? "" : `<section>\n<h2>Outside of the text</h2>\n${others}</section>\n`}</main>
</body>
</html>
`;
}

function changeHtml(change: BlockChange): string {
  const { block, oldBlock, isFormatOnly } = change;
  const what = isFormatOnly ? "format" : change.change;
  const where = block === null ? `old block ${oldBlock}` : `block ${block}`;
  return row(`${what}<br>${where}`, textHtml(change.pieces));
}

function otherHtml(other: OtherChange): string {
  const text =
    other.pieces.length === 0
      ? `<span class="soft">differs (${escaped(other.part)})</span>`
      : textHtml(other.pieces);
  return row(otherName(other), text);
}

function row(where: string, text: string): string {
  return `<div class="change"><div class="where">${where}</div><p class="text" dir="auto">${text}</p></div>\n`;
}

function textHtml(pieces: readonly TextPiece[]): string {
  return pieces
    .map(({ text, change }) => {
      const shown = escaped(text);
      return change === null ? shown : `<${change}>${shown}</${change}>`;
    })
    .join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// Controls but for newline and tab, and what turns the direction of the text after it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this shows
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function escaped(text: string): string {
  return text
    .replace(UNSEEN, (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`)
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
