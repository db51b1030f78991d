import type { Problem } from "@uncaged/workflow-protocol";
import type { CST, YAMLError } from "yaml";
import type { Position } from "../shape/index.js";
import type { ParsedDocument } from "./compose.js";

type Lines = (offset: number) => Position;

// The first errors tell; a broken quote can make thousands of lines wrong.
const SHOWN = 20;

const TABS = "a tab cannot indent YAML, use spaces";

const SENTENCES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: TABS,
  BLOCK_AS_IMPLICIT_KEY:
    'a map cannot start here: a text that contains ": " must be quoted, and the keys of a map need the same indentation',
  BAD_ALIAS: "a text that starts with & or * must be quoted",
};

// yaml reports a line that is no `key: value` under several codes, always in these words.
const NOT_AN_ENTRY = /^Implicit (map )?keys need/;
const NOT_AN_ENTRY_SENTENCE =
  "this line is neither `key: value` nor part of the value above it, check its indentation and quotes";

export function problemAt(lines: Lines, offset: number, message: string): Problem {
  return { severity: "error", code: "syntax", ...lines(offset), path: "", message, suggestion: null };
}

/** What the yaml library refuses or warns about, one problem per line of the text. */
export function syntaxProblems(document: ParsedDocument, text: string, lines: Lines): readonly Problem[] {
  const seen = new Set<number>();
  return [...document.errors, ...document.warnings]
    .map((error) => problemAt(lines, error.pos[0], sentence(error, text)))
    .filter(({ line }) => line !== null && !seen.has(line) && seen.add(line))
    .slice(0, SHOWN);
}

/** `%YAML 1.1` would change what `yes` means; `%TAG` serves custom tags only. */
export function directiveProblems(tokens: readonly CST.Token[], lines: Lines): readonly Problem[] {
  return tokens
    .flatMap((token) => (token.type === "directive" ? token : []))
    .filter(({ source }) => !/^%YAML\s+1\.2\s*$/.test(source))
    .slice(0, SHOWN)
    .map(({ offset, source }) =>
      problemAt(lines, offset, `the directive ${source.split(/\s/)[0]} is not supported`),
    );
}

/** Raw control characters have no place in YAML, and none on a terminal that shows an error. */
export function controlCharacterProblem(text: string, lines: Lines): Problem | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this finds
  const at = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/);
  if (at === -1) return null;
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
  return problemAt(lines, at, `the control character U+${code} is not allowed, write it as "\\u${code}"`);
}

function sentence(error: YAMLError, text: string): string {
  if (error.code === "TAG_RESOLVE_FAILED") return `${lowerFirst(error.message)}: custom tags are not allowed`;
  if (isTabIndented(text, error.pos[0])) return TABS;
  if (NOT_AN_ENTRY.test(error.message)) return NOT_AN_ENTRY_SENTENCE;
  const help = error.code === "BAD_SCALAR_START" ? ", quote the text" : "";
  return SENTENCES[error.code] ?? lowerFirst(`${error.message}${help}`);
}

/** yaml reports some tabs by their consequences only. */
function isTabIndented(text: string, offset: number): boolean {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^ *\t/.test(text.slice(start, offset + 1));
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
