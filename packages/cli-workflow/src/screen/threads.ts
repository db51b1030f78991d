import { partIn } from "@uncaged/workflow-engine";
import { type Held, type SeenState, type ThreadId, waitWords } from "@uncaged/workflow-protocol";
import type { Paint } from "./screen.js";
import { type Cell, oneLine } from "./table.js";

/** The state in its colour. */
export function stateCell(state: SeenState, paint: Paint): Cell {
  return { text: state, paint: paintOf(state, paint) };
}

export function paintOf(state: SeenState, paint: Paint): (text: string) => string {
  switch (state) {
    case "active":
      return (text) => text;
    case "running":
      return paint.busy;
    case "held":
    case "abandoned":
      return paint.warn;
    case "ended":
      return paint.good;
    case "killed":
      return paint.dim;
    default:
      return paint.bad;
  }
}

/** What it waits for, as its state: `waits for an answer`, `paused`. The role is shown elsewhere. */
export function heldState(held: Held, thread: ThreadId, idOf: (thread: ThreadId) => string): string {
  return waitWords({ ...held, role: null }, thread, idOf).replace(/^is /, "");
}

/** Shorter ends are accepted by no command. */
const SHORTEST = 4;

/** Characters of an id that a thread has in common with the one that it replaces. */
const COMMON = 16;

/**
 * The shortest end of an id, of 4 characters or more, by which every command finds it among these: no other id ends
 * so, or begins so. A thread that stands in the place of an ended one has that one's end too, and it is the new one that
 * commands find by it.
 */
export function shortIds<Id extends string>(
  ids: Iterable<Id>,
  hasEnded: (id: Id) => boolean,
): (id: string) => string {
  const byEnd = new Map<string, string[]>();
  const beginnings = new Set<string>();
  const over = new Set<string>();
  for (const id of ids) {
    const end = id.slice(-SHORTEST);
    const alike = byEnd.get(end);
    if (alike === undefined) byEnd.set(end, [id]);
    else alike.push(id);
    beginnings.add(id.slice(0, SHORTEST));
    if (hasEnded(id)) over.add(id);
  }
  const isOlder = (other: string, id: string): boolean =>
    other.slice(-COMMON) === id.slice(-COMMON) && over.has(other) && !over.has(id);
  const isTaken = (id: string, end: string): boolean =>
    beginnings.has(end.slice(0, SHORTEST)) ||
    (byEnd.get(end.slice(-SHORTEST)) ?? []).some(
      (other) => other !== id && other.endsWith(end) && !isOlder(other, id),
    );
  return (id) => {
    for (let length = SHORTEST; length < id.length; length += 1) {
      const end = id.slice(-length);
      if (!isTaken(id, end)) return end;
    }
    return id;
  };
}

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
