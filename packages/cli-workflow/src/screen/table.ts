import { sanitizeTerminal } from "@uncaged/workflow-util";
import stringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";
import { paintOn, type Screen } from "./screen.js";

export type Column = {
  /** If no column has a title, no titles are printed. */
  readonly title: string;
  readonly align: "left" | "right";
  /** Whether its cells may be cut, with an ellipsis, if the screen is too narrow. Ids and numbers are never cut. */
  readonly shrinks: boolean;
};

/** A column, and what it shows of an item. */
export type ColumnOf<T> = readonly [column: Column, cellOf: (item: T) => Cell];

/** A text, or a text with its colour: it is cleaned, measured and cut before it is coloured. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

export type Row = readonly Cell[];

/** A table whose rows are printed as they are read. */
type TableWriter = {
  /** What can be printed by now: nothing until the widths are known. */
  readonly add: (row: Row) => string;
  readonly end: () => string;
};

/** Columns between two columns of a table, and between a label and its value. */
const GAP = 2;

/** No column is cut to less. */
const NARROWEST = 8;

/** Rows that determine the widths of a table whose other rows are not known yet: about a screenful. */
const FIRST_ROWS = 40;

export function left(title: string): Column {
  return { title, align: "left", shrinks: false };
}

export function right(title: string): Column {
  return { title, align: "right", shrinks: false };
}

export function shrinking(title: string): Column {
  return { title, align: "left", shrinks: true };
}

/** The complete table; without rows, nothing. */
export function renderTable(screen: Screen, columns: readonly Column[], rows: readonly Row[]): string {
  return rows.length === 0 ? "" : begin(screen, columns, rows).text;
}

/** The same of items, each of which is a row. */
export function tableOf<T>(screen: Screen, columns: readonly ColumnOf<T>[], items: readonly T[]): string {
  const heads = columns.map(([column]) => column);
  return renderTable(
    screen,
    heads,
    items.map((item) => rowOf(columns, item)),
  );
}

export function rowOf<T>(columns: readonly ColumnOf<T>[], item: T): Row {
  return columns.map(([, cellOf]) => cellOf(item));
}

/** Widths come from the first rows: a later cell that is too wide is cut if it may be, else its line gets longer. */
export function tableWriter(screen: Screen, columns: readonly Column[]): TableWriter {
  const first: Row[] = [];
  let rest: ((row: Row) => string) | null = null;
  const open = (): string => {
    const begun = begin(screen, columns, first);
    rest = begun.line;
    return begun.text;
  };
  return {
    add: (row) => {
      if (rest !== null) return rest(row);
      first.push(row);
      return first.length === FIRST_ROWS ? open() : "";
    },
    end: () => (rest !== null || first.length === 0 ? "" : open()),
  };
}

/** Titles and first rows as text, and how every further row becomes a line. */
function begin(screen: Screen, columns: readonly Column[], rows: readonly Row[]) {
  const { strong } = paintOn(screen);
  const titles = columns.map(({ title }): Cell => ({ text: title, paint: strong }));
  const first = columns.every(({ title }) => title === "") ? rows : [titles, ...rows];
  const widths = widthsOf(columns, first, screen.width);
  const line = (row: Row): string => lineOf(row, columns, widths, screen.width);
  return { text: first.map(line).join(""), line };
}

/** As wide as the widest cell; where that is more than the screen has, the widest that may shrink does. */
function widthsOf(columns: readonly Column[], rows: readonly Row[], screen: number): readonly number[] {
  const widths = columns.map((_, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(textOf(row[at]))), 0),
  );
  let over = widths.reduce((sum, width) => sum + width, GAP * (columns.length - 1)) - screen;
  while (over > 0) {
    const shrinkable = widths.map((width, at) => (columns[at]?.shrinks && width > NARROWEST ? width : 0));
    const widest = Math.max(...shrinkable);
    if (widest === 0) break;
    widths[shrinkable.indexOf(widest)] = widest - 1;
    over -= 1;
  }
  return widths;
}

function lineOf(row: Row, columns: readonly Column[], widths: readonly number[], screen: number): string {
  let line = "";
  let used = 0;
  for (const [at, { align, shrinks }] of columns.entries()) {
    const isLast = at === columns.length - 1;
    const room = isLast ? Math.max(screen - used, NARROWEST) : (widths[at] ?? 0);
    const text = shrinks ? cut(textOf(row[at]), room) : textOf(row[at]);
    const width = widthOf(text);
    const space = " ".repeat(Math.max((widths[at] ?? 0) - width, 0));
    const shown = painted(row[at], text);
    line += align === "right" ? space + shown : shown + (isLast ? "" : space);
    used += width + space.length + GAP;
    if (!isLast) line += " ".repeat(GAP);
  }
  return `${line.trimEnd()}\n`;
}

/** Characters of a cell that are looked at: no screen is wider, and a task may be megabytes. */
const LONGEST = 2000;

function textOf(cell: Cell | undefined): string {
  return oneLine(typeof cell === "string" ? cell : (cell?.text ?? ""));
}

/** A text of others as part of a line: without control characters, every run of white space a space. */
export function oneLine(text: string): string {
  return sanitizeTerminal(text.slice(0, LONGEST)).replace(/\s+/g, " ").trim();
}

function painted(cell: Cell | undefined, text: string): string {
  return cell === undefined || typeof cell === "string" || text === "" ? text : cell.paint(text);
}

const PLAIN = /^[ -~]*$/;

/** Columns that it takes. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** At most this many columns of it, with an ellipsis if it was cut. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (PLAIN.test(text)) return `${text.slice(0, width - 1).trimEnd()}…`;
  let [kept, used] = ["", 0];
  // What a person takes for one character may be many: a flag, a family, a letter and its accents.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** A label and its value; one without a value is left out. */
export type Field = readonly [label: string, value: Cell | null];

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

/** Sentences, a line each, as wide as the screen. */
export function lines({ width }: Screen, sentences: readonly (Cell | null)[]): string {
  return sentences.map((each) => (each === null ? "" : wrapped(each, width, 0))).join("");
}

/** The command that a person probably types next. It is not cut: it is to be copied. */
export function nextCommand(screen: Screen, command: string): string {
  const { dim, strong } = paintOn(screen);
  return `${dim("next:")} ${strong(command)}\n`;
}
