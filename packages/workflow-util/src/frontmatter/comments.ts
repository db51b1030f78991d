import { isCollection, type Node, type Scalar, visit, type YAMLMap, type YAMLSeq } from "yaml";
import { CUT } from "../yaml-cut.js";
import type { YamlFault } from "./yaml.js";

type Collection = YAMLMap | YAMLSeq;

/** The longest text that a sentence repeats. */
const QUOTED = 80;

/**
 * A `#` after a blank ends a text that is not quoted, also where its author meant `PR #532`: comments behind such a
 * text are faults. After `true` or `5`, behind quotes and on a line of their own they cut nothing.
 */
export function commentFaults(root: Node | null, text: string): readonly YamlFault[] {
  const faults: YamlFault[] = [];
  visit(root, {
    Scalar: (_key, scalar, path) => {
      if (isPlainText(scalar) && isCut(scalar, text, path.findLast(isCollection)))
        faults.push({ offset: scalar.range?.[0] ?? 0, message: sentenceFor(scalar, text) });
    },
  });
  return faults;
}

/** A text, or nothing at all where a text may have been meant: `comments: #532 first`. */
function isPlainText({ type, value, source }: Scalar): boolean {
  return type === "PLAIN" && (typeof value === "string" || (value === null && source === ""));
}

/** Whether a comment follows on the text's last line, or on the next one and indented like a continuation. */
function isCut(scalar: Scalar, text: string, parent: Collection | undefined): boolean {
  const [start = 0, end = 0] = scalar.range ?? [];
  // Nothing begins where its comment does.
  if (matchAt(/[ \t]+#/y, text, start === end ? end - 1 : end) !== null) return true;
  const [, blanks = null] = matchAt(/(?:[ \t]*\n)+([ \t]*)#/y, text, end) ?? [];
  if (blanks === null || parent?.flow === true) return false;
  return blanks.length > (parent === undefined ? 0 : columnOf(text, parent.range?.[0] ?? 0));
}

// In place: a line may hold thousands of texts.
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function sentenceFor(scalar: Scalar, text: string): string {
  const [start = 0, end = 0] = scalar.range ?? [];
  const [line = ""] = matchAt(/[^\n]*/y, text, Math.max(start, end)) ?? [];
  const meant = JSON.stringify(`${text.slice(start, end)}${line}`.trim().replace(/\s*\n\s*/g, " "));
  return meant.length > QUOTED || /[[\]{}]/.test(meant) ? CUT : `${CUT}, did you mean \`${meant}\`?`;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}
