import { createHash } from "node:crypto";
import type { UsageSum } from "@uncaged/workflow-protocol";
import { count, counted, duration, money } from "@uncaged/workflow-util";
import { GRAPH_PAGE_STYLE } from "../graph/index.js";
import { REPORT_STYLE } from "../page-texts.js";

/** Text that is HTML already. */
export type Html = { readonly html: string };

type Value = Html | readonly Html[] | string | number | null;

/** HTML with values in it: texts are escaped, and show what they hold, `null` is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const parts = strings.map((text, at) => `${text}${at < values.length ? textOf(values[at] ?? null) : ""}`);
  return { html: parts.join("") };
}

function textOf(value: Value): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return escaped(value);
  return "html" in value ? value.html : value.map((each) => each.html).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters of one text on the page. Names are seldom longer than a line, but nothing stops them. */
const LONGEST = 60_000;

function escaped(text: string): string {
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return visible(shown).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

// Controls but for newline and tab, half characters, and what changes the direction of writing or has no width.
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this shows
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\uffff]/gu;

/** Visible signs for characters that are invisible or that reorder a line. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "␡" : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** A time in UTC, the same wherever the report is read. */
export function time(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")}</time>`;
}

/** A cost with what is missing in it. */
export function cost({ costUsd, unknown }: UsageSum): string {
  if (costUsd === null) return "unknown";
  return unknown.cost > 0
    ? `${money(costUsd)} and ${counted(unknown.cost, "run")} of unknown cost`
    : money(costUsd);
}

type Tokens = Pick<UsageSum, "inputTokens" | "outputTokens">;

export function tokens({ inputTokens, outputTokens }: Tokens): string {
  if (inputTokens === null || outputTokens === null) return "unknown";
  return `${count(inputTokens)} in, ${count(outputTokens)} out`;
}

export function took(ms: number | null): string {
  return ms === null ? "" : duration(ms);
}

type Shell = {
  readonly title: string;
  readonly body: Html;
  /** The one script of the page; `null`: it has none. */
  readonly script: string | null;
  /** Whether the script may ask the server that the page comes from. */
  readonly connects: boolean;
};

const STYLE = `${REPORT_STYLE}${GRAPH_PAGE_STYLE}`;

/** An HTML file that needs nothing else; its policy allows its own style and script, by their hashes. */
export function shellHtml({ title, body, script, connects }: Shell): string {
  const scripts = script === null ? "" : ` script-src '${sumOf(script)}';`;
  const connect = connects ? " connect-src 'self';" : "";
  const policy = `default-src 'none'; style-src '${sumOf(STYLE)}';${scripts}${connect} base-uri 'none'; form-action 'none'`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
${body}${script === null ? null : html`<script>${{ html: script }}</script>`}
</body>
</html>
`;
  return page.html;
}

/** As a policy names a style or a script. */
function sumOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
