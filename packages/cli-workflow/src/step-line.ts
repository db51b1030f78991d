import type { Format } from "./render.js";

/** A `thread step` line without anything unusual. */
export type StepLine = {
  readonly thread: string;
  readonly agent: string | null;
  readonly format: Format | null;
  /** As typed; `null`: any head. */
  readonly expect: string | null;
  readonly waitMs: number;
};

/**
 * Parses `thread step <thread> [--agent <command>] [--expect <head>] [--wait [seconds]] [--format json|yaml]
 * [--error-format text|json]`. For anything else, mistakes included, it returns `null`, and the complete command line
 * parser takes over: building that costs more than the rest of stages 1 and 2, and loops call only this line.
 */
export function readStepLine(argv: readonly string[]): StepLine | null {
  const [group, command, ...rest] = argv;
  if (group !== "thread" || command !== "step") return null;
  let line: StepLine = { thread: "", agent: null, format: null, expect: null, waitMs: 0 };
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? "";
    const wait = waitOf(word, rest[index + 1] ?? null);
    if (wait !== null) {
      if (line.waitMs !== 0) return null;
      line = { ...line, waitMs: wait.ms };
      index += wait.words;
      continue;
    }
    const next = withWord(line, word, rest[index + 1] ?? null);
    if (next === null) return null;
    line = next;
    if (word.startsWith("-")) index += 1;
  }
  return line.thread === "" ? null : line;
}

function withWord(line: StepLine, word: string, value: string | null): StepLine | null {
  if (!word.startsWith("-")) return line.thread === "" && word !== "" ? { ...line, thread: word } : null;
  if (value === null) return null;
  if (word === "--agent" && line.agent === null) return { ...line, agent: value };
  if (word === "--expect" && line.expect === null) return { ...line, expect: value };
  if (word === "--format" && isFormat(value)) return { ...line, format: value };
  return word === "--error-format" && (value === "text" || value === "json") ? line : null;
}

/** Seconds; a bound of 0 and anything misspelt are left to the complete parser. */
const SECONDS = /^(?=.*[1-9])\d{1,9}(\.\d+)?$/;

/** `--wait`, `--wait 30`, `--wait=30`; `words`: how many follow it. `null`: the word is something else. */
function waitOf(word: string, value: string | null): { readonly ms: number; readonly words: number } | null {
  if (word === "--wait") {
    if (value === null || !/^\d+(\.\d+)?$/.test(value)) return { ms: Number.POSITIVE_INFINITY, words: 0 };
    return SECONDS.test(value) ? { ms: Number(value) * 1000, words: 1 } : null;
  }
  const given = word.startsWith("--wait=") ? word.slice("--wait=".length) : "";
  return SECONDS.test(given) ? { ms: Number(given) * 1000, words: 0 } : null;
}

function isFormat(value: string): value is Format {
  return value === "json" || value === "yaml";
}
