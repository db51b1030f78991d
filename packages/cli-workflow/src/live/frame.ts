import type { TextSink } from "../io.js";

/** A line as it is written, and how many columns it takes. */
export type FrameLine = { readonly text: string; readonly width: number };

/** The last lines on a terminal, which change in place. */
type Frame = {
  readonly show: (lines: readonly FrameLine[]) => void;
  /** Something that stays, above them. */
  readonly print: (text: string) => void;
  readonly clear: () => void;
};

/** Every line must fit the terminal; if it has become narrower since, the lines that it wraps are counted. */
export function frameOn({ write, columns }: Pick<TextSink, "write" | "columns">): Frame {
  let shown: readonly FrameLine[] = [];
  const textOf = (lines: readonly FrameLine[]): string => lines.map(({ text }) => `${text}\n`).join("");
  const clearing = (): string => {
    const room = Math.max(1, columns() ?? Number.POSITIVE_INFINITY);
    const rows = shown.reduce((sum, { width }) => sum + Math.max(1, Math.ceil(width / room)), 0);
    // Up to the first of them, and everything from there on away.
    return rows === 0 ? "" : `\r\u001b[${rows}A\u001b[J`;
  };
  return {
    show: (lines) => {
      if (textOf(lines) === textOf(shown)) return;
      write(clearing() + textOf(lines));
      shown = lines;
    },
    print: (text) => {
      write(clearing() + text + textOf(shown));
    },
    clear: () => {
      write(clearing());
      shown = [];
    },
  };
}
