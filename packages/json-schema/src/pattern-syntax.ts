/** A pattern that is no regular expression, or one that cannot be matched in linear time; `message` says which. */
export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PatternError";
  }
}

/** Tests one code point. */
export type CharTest = (char: string) => boolean;

export type Assertion = "start" | "end" | "boundary" | "no-boundary";

/** The part of an ECMA-262 pattern that a finite automaton can match. */
export type PatternNode =
  | { readonly kind: "char"; readonly atom: string; readonly test: CharTest }
  | { readonly kind: "assert"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly node: PatternNode; readonly min: number; readonly max: number };

// What counts as one character is left to the native engine: each atom is its own tiny RegExp over one code point,
// so classes, escapes and properties mean exactly what ECMA-262 says. Only the structure is parsed here.

const CLASS = /\[(?:\\.|[^\]\\])*\]/suy;
const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)/suy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;
const GROUP_NAME = /\?<[^=!>][^>]*>/uy;
const ONE_CHAR = /./suy;

const ASSERTIONS = new Map<string, Assertion>([
  ["^", "start"],
  ["$", "end"],
  ["\\b", "boundary"],
  ["\\B", "no-boundary"],
]);

type Reader = { readonly source: string; position: number };

/** Reads a pattern as ECMA-262 with the flag `u`; throws `PatternError`. */
export function parsePattern(source: string): PatternNode {
  checkSyntax(source);
  return readChoice({ source, position: 0 });
}

/** Characters that a sample is made of, the likeliest first. */
const SAMPLES = [..."abcxyzABCXYZ0123456789-_./:@ #\n\t\r\f\v", "é", "ß", "中"];

const MOST_REPEATS = 200;
const LONGEST_SAMPLE = 10_000;

/**
 * A text that fits the pattern, by the first way through it, with `extra` more of what may repeat. Best effort: `null` if
 * none is found, and a word boundary may be missed.
 */
export function samplePattern(source: string, extra: number): string | null {
  try {
    return sampleOf(parsePattern(source), extra);
  } catch (error) {
    if (error instanceof PatternError || error instanceof RangeError) return null;
    throw error;
  }
}

function sampleOf(node: PatternNode, extra: number): string | null {
  switch (node.kind) {
    case "char":
      return sampleOfAtom(node.atom, node.test);
    case "assert":
      return "";
    case "sequence":
      return joined(node.nodes.map((part) => sampleOf(part, extra)));
    case "choice":
      return node.nodes.map((part) => sampleOf(part, extra)).find((sample) => sample !== null) ?? null;
    case "repeat": {
      const times = Math.min(node.min + extra, node.max, MOST_REPEATS);
      return times === 0 ? "" : joined(new Array(times).fill(sampleOf(node.node, extra)));
    }
  }
}

function joined(samples: readonly (string | null)[]): string | null {
  const text = samples.join("");
  return samples.includes(null) || text.length > LONGEST_SAMPLE ? null : text;
}

/** A character that only its code names is among the last ones tried. */
function sampleOfAtom(atom: string, test: CharTest): string | null {
  const code = Number.parseInt(/^\\[xu]\{?([0-9a-fA-F]+)\}?$/.exec(atom)?.[1] ?? "", 16);
  const coded = code <= 0x10ffff ? String.fromCodePoint(code) : "";
  return [...SAMPLES, atom, atom.slice(1), coded].find(test) ?? null;
}

function checkSyntax(source: string): void {
  try {
    new RegExp(source, "u");
  } catch {
    throw new PatternError("is not a valid regular expression");
  }
}

function readChoice(reader: Reader): PatternNode {
  const nodes = [readSequence(reader)];
  while (take(reader, "|")) nodes.push(readSequence(reader));
  return { kind: "choice", nodes };
}

function readSequence(reader: Reader): PatternNode {
  const nodes: PatternNode[] = [];
  while (reader.position < reader.source.length && !startsWith(reader, "|") && !startsWith(reader, ")")) {
    nodes.push(readQuantified(reader));
  }
  return { kind: "sequence", nodes };
}

function readQuantified(reader: Reader): PatternNode {
  const node = take(reader, "(") ? readGroup(reader) : readAtom(reader);
  const match = matchAt(reader, QUANTIFIER);
  if (match === null) return node;
  const [, sign, least = "0", comma, most] = match;
  if (sign !== undefined)
    return { kind: "repeat", node, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
  const min = Number(least);
  return { kind: "repeat", node, min, max: comma === "" ? min : most === "" ? Infinity : Number(most) };
}

function readGroup(reader: Reader): PatternNode {
  if (!take(reader, "?:") && startsWith(reader, "?") && matchAt(reader, GROUP_NAME) === null) {
    throw new PatternError("uses lookaround or inline flags, which have no linear-time match");
  }
  const node = readChoice(reader);
  take(reader, ")");
  return node;
}

function readAtom(reader: Reader): PatternNode {
  const [text] = matchAt(reader, CLASS) ?? matchAt(reader, ESCAPE) ?? matchAt(reader, ONE_CHAR) ?? [""];
  const assertion = ASSERTIONS.get(text);
  if (assertion !== undefined) return { kind: "assert", assertion };
  if (/^\\[1-9k]/.test(text)) throw new PatternError("uses a back-reference, which has no linear-time match");
  return { kind: "char", atom: text, test: charTest(text) };
}

function charTest(atom: string): CharTest {
  if (/^[^.[\\]$/u.test(atom)) return (char) => char === atom;
  const native = new RegExp(`^${atom}$`, "u");
  const known = new Map<string, boolean>();
  return (char) => {
    const before = known.get(char);
    if (before !== undefined) return before;
    const answer = native.test(char);
    known.set(char, answer);
    return answer;
  };
}

function take(reader: Reader, text: string): boolean {
  if (!startsWith(reader, text)) return false;
  reader.position += text.length;
  return true;
}

function startsWith(reader: Reader, text: string): boolean {
  return reader.source.startsWith(text, reader.position);
}

function matchAt(reader: Reader, sticky: RegExp): RegExpExecArray | null {
  sticky.lastIndex = reader.position;
  const match = sticky.exec(reader.source);
  if (match !== null) reader.position = sticky.lastIndex;
  return match;
}
