import { createHash } from "node:crypto";
import {
  type BlockChange,
  type Difference,
  markedText,
  type OtherChange,
  type TextPiece,
} from "./diff/index.js";

/** One thing that differs, as whoever shows a difference needs it. */
export type DifferenceLine = {
  /** What stands above it; `null`: it is before the first heading. */
  readonly heading: string | null;
  /** Its number in the new document, `old 4` if only the old one has it; outside of the text its name and part. */
  readonly label: string;
  /** Empty: it has no text, or only looks different. */
  readonly pieces: readonly TextPiece[];
  readonly isFormatOnly: boolean;
};

/** Characters of unchanged text that are shown beside a change. */
const AROUND = 160;

/** Characters of a heading. */
const HEADING = 200;

/** Every changed block, then what differs outside of the text; unchanged text far from a change is left out. */
export function differenceLines(difference: Difference): readonly DifferenceLine[] {
  const blocks = sectionsOf(difference).flatMap(({ heading, changes }) =>
    changes.map(
      (change): DifferenceLine => ({
        heading: heading === null ? null : shortened(heading),
        label: blockName(change),
        pieces: abridged(change.pieces, AROUND),
        isFormatOnly: change.isFormatOnly,
      }),
    ),
  );
  const others = difference.others.map(
    (other): DifferenceLine => ({
      heading: "Outside of the text",
      label: `${otherName(other)} (${other.part})`,
      pieces: abridged(other.pieces, AROUND),
      isFormatOnly: false,
    }),
  );
  return [...blocks, ...others];
}

/** The number by which an edit names it; of one that is gone the number that it had. */
function blockName({ block, oldBlock }: BlockChange): string {
  return block === null ? `old ${oldBlock ?? "?"}` : String(block);
}

function shortened(heading: string): string {
  const line = heading.replace(/\s+/g, " ");
  return line.length > HEADING ? `${line.slice(0, HEADING)}…` : line;
}

/** Changes that stand under one heading; `null`: before the first one. */
export type Section = { readonly heading: string | null; readonly changes: readonly BlockChange[] };

/** The changed blocks in their order, by the heading above them. */
function sectionsOf({ changes }: Pick<Difference, "changes">): readonly Section[] {
  const sections: { heading: string | null; changes: BlockChange[] }[] = [];
  for (const change of changes) {
    const last = sections.at(-1);
    if (last !== undefined && last.heading === change.heading) last.changes.push(change);
    else sections.push({ heading: change.heading, changes: [change] });
  }
  return sections;
}

const OTHERS: Readonly<Record<OtherChange["what"], string>> = {
  header: "header",
  footer: "footer",
  footnotes: "footnotes",
  endnotes: "endnotes",
  comments: "comments",
  styles: "styles",
  numbering: "lists",
  theme: "theme",
  section: "page",
};

/** What a person calls it: `header`, `lists`, `page`. */
function otherName({ what }: OtherChange): string {
  return OTHERS[what];
}

/** `2 blocks changed, 1 inserted; the header and the styles differ`, or `no difference`. */
export function differenceSummary({ isEqual, changes, others }: Difference): string {
  if (isEqual) return "no difference";
  const counts = (["changed", "inserted", "deleted"] as const)
    .map((kind) => ({ kind, count: changes.filter(({ change }) => change === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }, at) =>
      at > 0 ? `${count} ${kind}` : `${count} ${count === 1 ? "block" : "blocks"} ${kind}`,
    );
  const names = [...new Set(others.map((other) => `the ${otherName(other)}`))];
  const isPlural = names.length > 1 || /s$/.test(names[0] ?? "");
  const listed = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  return [
    counts.join(", "),
    ...(listed === undefined ? [] : [`${listed} ${isPlural ? "differ" : "differs"}`]),
  ]
    .filter((part) => part !== "")
    .join("; ");
}

/** A text with at most `around` characters of unchanged text on each side of a change. */
function abridged(pieces: readonly TextPiece[], around: number): readonly TextPiece[] {
  return pieces.map(({ text, change }, at) => {
    if (change !== null) return { text, change };
    const [first, last] = [at === 0, at === pieces.length - 1];
    if (first && last) return { text: headOf(text, 2 * around), change };
    if (first) return { text: tailOf(text, around), change };
    if (last) return { text: headOf(text, around), change };
    return {
      text: text.length > 2 * around + 1 ? headOf(text, around) + tailOf(text, around).slice(1) : text,
      change,
    };
  });
}

/** The beginning, up to the end of a word where there is one. */
function headOf(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${whole(text.slice(0, length)).replace(/\S{1,20}$/, "")}…`;
}

function tailOf(text: string, length: number): string {
  if (text.length <= length) return text;
  return `…${whole(text.slice(-length)).replace(/^\S{1,20}/, "")}`;
}

/** Without half of a character at its ends. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

/** At most so many characters of text, with an ellipsis if something is missing. */
function clipped(pieces: readonly TextPiece[], length: number): readonly TextPiece[] {
  let room = length;
  const kept: TextPiece[] = [];
  for (const { text, change } of pieces) {
    if (text.length > room)
      return [...kept, { text: `${whole(text.slice(0, Math.max(0, room - 1)))}…`, change }];
    kept.push({ text, change });
    room -= text.length;
  }
  return kept;
}

export type TextLimits = {
  /** Of all of it; `null`: as long as it gets. */
  readonly maxCharacters: number | null;
};

/** Room for the line that counts what is left out. */
const MORE = 20;

/**
 * What differs as plain text: under its heading each block with its number in the new document (`old 4` for one that
 * only the old document has), `12: We have [-three-]{+four+} apples.`; then what differs outside of the text. What
 * does not fit is counted in the last line, `… 3 more`.
 */
export function differenceText(difference: Difference, { maxCharacters }: TextLimits): string {
  const lines = differenceLines(difference);
  // One long block does not take the place of all others.
  const longest = maxCharacters === null ? null : Math.max(40, Math.floor(maxCharacters / 3));
  const shown: string[] = [];
  let length = 0;
  let above: string | null = null;
  for (const [at, line] of lines.entries()) {
    const heading = line.heading === above ? "" : `${at === 0 ? "" : "\n"}${line.heading}\n`;
    const text = `${heading}  ${lineText(line, longest)}\n`;
    const isLast = at === lines.length - 1;
    if (maxCharacters !== null && length + text.length + (isLast ? 0 : MORE) > maxCharacters) {
      shown.push(`… ${lines.length - at} more\n`);
      break;
    }
    shown.push(text);
    length += text.length;
    above = line.heading;
  }
  return shown.join("");
}

function lineText({ label, pieces, isFormatOnly }: DifferenceLine, longest: number | null): string {
  if (pieces.length === 0) return label;
  const text = markedText(longest === null ? pieces : clipped(pieces, longest)).replaceAll("\n", "\n    ");
  return `${label}: ${text}${isFormatOnly ? " (only its format)" : ""}`;
}

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
