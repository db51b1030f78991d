import { partIn } from "@uncaged/workflow-engine";
import { oneLine } from "./table.js";

// The task of a thread, and what a person is asked, are Markdown of any length. In a list they are a line.

/** The item of a thread that works on one, else the first line of its task. */
export function taskLine(task: string): string {
  const part = partIn(task);
  return part === null ? firstLine(withoutHeading(task)) : `${part.which}: ${oneLine(part.item)}`;
}

/** The task of a child thread begins with its parent's goal. */
export function withoutHeading(task: string): string {
  return task.replace(/^# Goal\n\n/, "");
}

/** Lines that are looked at, and characters of each: no list shows more. */
const MOST_LINES = 100;
const LONGEST_LINE = 500;

/** The first heading, paragraph or item of a list that has words in it, without the marks of Markdown. */
export function firstLine(markdown: string): string {
  const lines = markdown.split(/\r?\n/, MOST_LINES).map((line) => line.slice(0, LONGEST_LINE));
  const at = lines.findIndex((line) => !NO_WORDS.test(line) && /[\p{L}\p{N}]/u.test(withoutMarks(line)));
  const [first, ...rest] = at === -1 ? [] : lines.slice(at);
  if (first === undefined) return oneLine(markdown);
  const end = HEADING.test(first) ? 0 : rest.findIndex((line) => !/\S/.test(line) || MARKED.test(line));
  return [first, ...(end === -1 ? rest : rest.slice(0, end))].map(withoutMarks).join(" ");
}

const HEADING = /^\s*#{1,6}\s/;

/** What does not belong to the paragraph before it. */
const MARKED = /^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])\s|```|~~~|<!--)/;

/** A fence, or a comment. */
const NO_WORDS = /^\s*(?:```|~~~|<!--.*-->\s*$)/;

/** The marks of a heading, a quotation, an item of a list. */
const BEFORE = /^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)*/;

function withoutMarks(line: string): string {
  return line
    .replace(BEFORE, "")
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/`+([^`]+)`+/g, "$1")
    .replace(/(^|[\s(])(\*{1,3}|_{1,3})(?=\S)([^*_]*[^*_\s])\2(?![\p{L}\p{N}])/gu, "$1$3")
    .trim();
}
