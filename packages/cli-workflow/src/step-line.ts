import type { Format } from "./render.js";

/** A `thread step` line without anything unusual. */
export type StepLine = {
  readonly thread: string;
  readonly agent: string | null;
  readonly format: Format | null;
};

/**
 * Parses `thread step <thread> [--agent <command>] [--format json|yaml] [--error-format text|json]`. For anything
 * else, mistakes included, it returns `null`, and the complete command line parser takes over: building that costs
 * more than the rest of stages 1 and 2, and loops call only this line.
 */
export function readStepLine(argv: readonly string[]): StepLine | null {
  const [group, command, ...rest] = argv;
  if (group !== "thread" || command !== "step") return null;
  let line: StepLine = { thread: "", agent: null, format: null };
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? "";
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
  if (word === "--format" && isFormat(value)) return { ...line, format: value };
  return word === "--error-format" && (value === "text" || value === "json") ? line : null;
}

function isFormat(value: string): value is Format {
  return value === "json" || value === "yaml";
}
