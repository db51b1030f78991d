// Makes a text that fits a pattern, best effort, by the shortest way through it. It skips lookaround and
// gives up on back-references, so the caller validates the sample.

type Reader = { readonly source: string; position: number; readonly extra: number };

const MOST_REPEATS = 200;

/** A sample of the pattern, with `extra` more repetitions; `null` if the pattern is too complex. */
export function samplePattern(pattern: string, extra: number): string | null {
  const reader = { source: pattern, position: 0, extra };
  const sample = readAlternatives(reader);
  return reader.position === pattern.length ? sample : null;
}

function readAlternatives(reader: Reader): string | null {
  let first = readSequence(reader);
  while (peek(reader) === "|") {
    reader.position += 1;
    const next = readSequence(reader);
    first ??= next;
  }
  return first;
}

function readSequence(reader: Reader): string | null {
  let text: string | null = "";
  for (let char = peek(reader); char !== "" && char !== "|" && char !== ")"; char = peek(reader)) {
    const atom = readAtom(reader);
    const times = readQuantifier(reader);
    text = text === null || atom === null ? null : text + atom.repeat(times);
  }
  return text;
}

function readAtom(reader: Reader): string | null {
  const char = take(reader);
  switch (char) {
    case "^":
    case "$":
      return "";
    case ".":
      return "a";
    case "(":
      return readGroup(reader);
    case "[":
      return readClass(reader);
    case "\\":
      return readEscape(reader);
    default:
      return char;
  }
}

function readGroup(reader: Reader): string | null {
  const opener = /^\?(?::|<?[=!]|<[A-Za-z_]\w*>)/.exec(reader.source.slice(reader.position))?.[0] ?? "";
  reader.position += opener.length;
  const inner = readAlternatives(reader);
  reader.position += 1;
  return /^\?<?[=!]$/.test(opener) ? "" : inner;
}

const CANDIDATES = [..."abcxyzABCXYZ0123456789-_./:@ #", "é", "ß", "中"];

function readClass(reader: Reader): string | null {
  const start = reader.position - 1;
  if (peek(reader) === "^") reader.position += 1;
  if (peek(reader) === "]") reader.position += 1;
  for (let char = take(reader); char !== "]"; char = take(reader)) {
    if (char === "") return null;
    if (char === "\\") reader.position += 1;
  }
  return fitting(reader.source.slice(start, reader.position));
}

function fitting(source: string): string | null {
  try {
    const single = new RegExp(`^${source}$`, "u");
    return CANDIDATES.find((candidate) => single.test(candidate)) ?? null;
  } catch {
    return null;
  }
}

const CONTROL: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v" };

function readEscape(reader: Reader): string | null {
  const rest = reader.source.slice(reader.position);
  const coded = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\}|[pP]\{[^}]*\})/.exec(rest);
  if (coded !== null) {
    reader.position += coded[0].length;
    const digits = coded[1] ?? coded[2] ?? coded[3];
    return digits === undefined ? fitting(`\\${coded[0]}`) : codePoint(Number.parseInt(digits, 16));
  }
  const char = take(reader);
  if (char === "b" || char === "B") return "";
  if (/^[dDwWsS]$/.test(char)) return fitting(`\\${char}`);
  if (/^[1-9k]$/.test(char)) return null;
  return CONTROL[char] ?? char;
}

function codePoint(value: number): string | null {
  return value <= 0x10ffff ? String.fromCodePoint(value) : null;
}

/**
 * How often to repeat the atom before it: the least that is allowed, and `extra` more where more is allowed.
 */
function readQuantifier(reader: Reader): number {
  const found = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(reader.source.slice(reader.position));
  if (found === null) return 1;
  reader.position += found[0].length;
  const least = found[1] === undefined ? Number(found[2]) : found[1] === "+" ? 1 : 0;
  return Math.min(least + reader.extra, mostRepeats(found, least), MOST_REPEATS);
}

function mostRepeats([, sign, , range, most]: RegExpExecArray, least: number): number {
  if (sign !== undefined) return sign === "?" ? 1 : MOST_REPEATS;
  if (range === undefined) return least;
  return most === undefined || most === "" ? MOST_REPEATS : Number(most);
}

function peek({ source, position }: Reader): string {
  return source[position] ?? "";
}

function take(reader: Reader): string {
  const char = peek(reader);
  reader.position += 1;
  return char;
}
