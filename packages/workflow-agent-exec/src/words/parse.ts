import type { Parsed, Words } from "./types.js";
import { durationMs, sizeBytes } from "./units.js";

export const USAGE =
  "usage: uwf-exec [--timeout <duration>] [--cwd <folder>] [--output-limit <size>] [--fields-from-stdout] -- <command…> <thread-id> <role>";

/** Prompts repeat a step's output to the roles that follow, so it is no place for megabytes. */
const OUTPUT_LIMIT = 16 * 1024;

const DEFAULTS = { timeoutMs: null, cwd: null, outputLimit: OUTPUT_LIMIT, fieldsFromStdout: false };

/**
 * The options, then `--`, then the command: it has options of its own, and uwf puts its two words behind it all (they
 * are cut off before). Without `--` the first word that is no option begins the command.
 */
export function parseWords(args: readonly string[]): Parsed {
  let words: Omit<Words, "command"> = DEFAULTS;
  let rest = args;
  for (let word = rest[0]; word?.startsWith("-") === true && word !== "--"; word = rest[0]) {
    if (word === "--fields-from-stdout") {
      words = { ...words, fieldsFromStdout: true };
      rest = rest.slice(1);
      continue;
    }
    const { name, value, left } = nextOption(word, rest.slice(1));
    const read = OPTIONS[name];
    if (read === undefined) return { ok: false, reason: `unknown option ${name} before the command` };
    if (value === undefined || value === "" || value === "--")
      return { ok: false, reason: `${name} needs a value` };
    const fields = read(value);
    if (fields === null) return { ok: false, reason: `${name} ${value}: ${FORMS[name]}` };
    words = { ...words, ...fields };
    rest = left;
  }
  const command = rest[0] === "--" ? rest.slice(1) : rest;
  if (command.length === 0) return { ok: false, reason: "there is no command" };
  return { ok: true, words: { ...words, command } };
}

type Option = {
  readonly name: string;
  readonly value: string | undefined;
  readonly left: readonly string[];
};

/** `--name value` or `--name=value`. */
function nextOption(word: string, following: readonly string[]): Option {
  const equals = word.indexOf("=");
  if (equals === -1) {
    return { name: word, value: following[0], left: following.slice(1) };
  }
  return { name: word.slice(0, equals), value: word.slice(equals + 1), left: following };
}

const OPTIONS: Readonly<Record<string, (value: string) => Partial<Omit<Words, "command">> | null>> = {
  "--timeout": (value) => orNull(durationMs(value), (timeoutMs) => ({ timeoutMs })),
  "--cwd": (cwd) => ({ cwd }),
  "--output-limit": (value) => orNull(sizeBytes(value), (outputLimit) => ({ outputLimit })),
};

const FORMS: Readonly<Record<string, string>> = {
  "--timeout": "a duration is a number with ms, s, m, h or d, such as 90s or 15m",
  "--output-limit": "a size is a number of bytes, also with k or M, up to 16M",
};

function orNull<T, U>(value: T | null, use: (value: T) => U): U | null {
  return value === null ? null : use(value);
}
