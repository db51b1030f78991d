import { wrapAnsi } from "fast-wrap-ansi";
import { paintOn } from "./paint.js";
import type { Screen } from "./screen.js";
import { type Cell, cut, oneLine } from "./table.js";

/** A label and its value; one without a value is left out. */
export type Field = readonly [label: string, value: Cell | null];

/** Columns between a label and its value. */
const GAP = 2;

/** A value that is too wide goes on below its beginning. */
export function renderFields(screen: Screen, fields: readonly Field[]): string {
  const { dim } = paintOn(screen);
  const shown = fields.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const]));
  const indent = shown.reduce((most, [label]) => Math.max(most, label.length), 0) + GAP;
  return shown
    .map(([label, value]) => {
      const before = `${dim(label)}${" ".repeat(indent - label.length)}`;
      return `${before}${wrapped(value, screen.width, indent)}`;
    })
    .join("");
}

/** A longer value among others is cut: a reader would skip the rest. */
const MOST_LINES = 6;

/** A text as lines, all but the first of which are indented; the first has as much before it. */
export function wrapped(value: Cell, width: number, indent: number): string {
  const { text, paint } = typeof value === "string" ? { text: value, paint: null } : value;
  const room = Math.max(width - indent, 2 * MOST_LINES);
  const lines = wrapAnsi(cut(oneLine(text), room * MOST_LINES), room, { hard: true }).split("\n");
  return `${lines.map((line) => (paint === null || line === "" ? line : paint(line))).join(`\n${" ".repeat(indent)}`)}\n`;
}
