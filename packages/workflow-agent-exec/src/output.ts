import { sanitizeTerminal } from "@uncaged/workflow-util";

export type Batches = {
  readonly push: (line: string) => void;
  /** Passes on the lines that still wait. */
  readonly finish: () => void;
};

/**
 * Passes on lines that arrive together as one text: one write for 64 KiB of output, not one per empty line. What `tell`
 * throws is thrown by the next `push`, or by `finish`.
 */
export function inBatches(tell: (lines: string) => void): Batches {
  let waiting: string[] = [];
  const errors: unknown[] = [];
  const rethrow = (): void => {
    if (errors.length > 0) throw errors[0];
  };
  const flush = (): void => {
    if (waiting.length === 0 || errors.length > 0) return;
    const lines = waiting.join("\n");
    waiting = [];
    try {
      tell(lines);
    } catch (error) {
      errors.push(error);
    }
  };
  const push = (line: string): void => {
    rethrow();
    // Runs after the chunk of this line and before the next one.
    if (waiting.push(line) === 1) queueMicrotask(flush);
  };
  const finish = (): void => {
    flush();
    rethrow();
  };
  return { push, finish };
}

export type Collector = {
  /** One line as the command wrote it. */
  readonly push: (line: string) => void;
  /** The end of the output, at most `limit` bytes of UTF-8. */
  readonly tail: (limit: number) => string;
};

/** Keeps the last lines of stdout and stderr in order of arrival, in at most twice `limit` characters. */
export function createCollector(limit: number): Collector {
  let text = "";
  let cut = false;
  const push = (line: string): void => {
    text += `${line}\n`;
    if (text.length <= limit * 2) return;
    text = text.slice(-limit);
    cut = true;
  };
  return { push, tail: (bytes) => tailOf(text, bytes, cut) };
}

const LEFT_OUT = "[earlier output left out]\n";

function tailOf(text: string, limit: number, cut: boolean): string {
  const bytes = Buffer.from(text, "utf8");
  if (!cut && bytes.length <= limit) return text;
  let from = Math.max(0, bytes.length - limit);
  // Not in the middle of a character: its further bytes are 10xxxxxx.
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  const kept = bytes.subarray(from).toString("utf8");
  const isWordStart = from > 0 && (bytes[from - 1] ?? 0) <= BLANK;
  return `${LEFT_OUT}${isWordStart ? kept : withoutFirstWord(kept)}`;
}

/** Blanks, newlines and everything that is not a visible character. */
const BLANK = 0x20;

/** Longer than any key. */
const LONGEST_WORD = 4096;

/** A word that was cut may be a part of a key, which the redactor does not recognise. */
function withoutFirstWord(text: string): string {
  const end = text.slice(0, LONGEST_WORD).search(/\s/);
  return text.slice(end === -1 ? LONGEST_WORD : end + 1);
}

/**
 * A line as a terminal finally shows it: without colours and control characters; of a progress bar only the last state.
 */
export function plainLine(line: string): string {
  if (line === "") return "";
  const states = line.split("\r").filter((state) => state !== "");
  return sanitizeTerminal(states.at(-1) ?? "");
}

/** Bytes converted at once, to bound the memory for millions of lines. */
const PIECE = 64 * 1024;

/** `plainLine` for each line of a text. */
export function plainText(text: string): string {
  const plain: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start + PIECE);
    const end = newline === -1 ? text.length : newline + 1;
    plain.push(text.slice(start, end).split("\n").map(plainLine).join("\n"));
    start = end;
  }
  return plain.join("");
}
