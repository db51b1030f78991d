import type { JsonValue } from "@uncaged/json-cas";

/** Whether a key is that of a field of the output, or nearly one. `null`: no field has a name. */
export type IsField = ((key: string) => boolean) | null;

/** What is known of the fields of an output. `null`: no field has a name. */
export type Fields = {
  readonly isField: (key: string) => boolean;
  /** Whether the value is one of the few that the field can have. */
  readonly isChoice: (key: string, value: JsonValue) => boolean;
} | null;

/** Of a text that is no header no more is searched: its keys would come first. */
const MOST_LINES = 300;

const KEY = /^(?:[-?][ \t]+)*(?:"([^"]{1,100})"|'([^']{1,100})'|([^\s"'#:[\]{}][^"#:[\]{}]{0,100}?))[ \t]*:/;
const FLOW_KEY =
  /[{,]\s*(?:"([^"\n]{1,100})"|'([^'\n]{1,100})'|([^\s"'#,:[\]{}][^"#,:[\]{}\n]{0,100}?))\s*:/g;

/** The keys that the text seems to have at its top level, readable or not. */
export function keysIn(text: string): readonly string[] {
  const lines = text
    .split("\n", MOST_LINES)
    .filter((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  const [first = ""] = lines;
  if (first.trimStart().startsWith("{")) return flowKeys(lines.join("\n"));
  const indents = lines.map((line) => line.length - line.trimStart().length);
  const least = indents.reduce((left, right) => Math.min(left, right), Number.POSITIVE_INFINITY);
  return lines
    .filter((_, at) => indents[at] === least)
    .flatMap((line) => {
      const [, a, b, c] = KEY.exec(line.trimStart()) ?? [];
      const key = a ?? b ?? c;
      return key === undefined ? [] : [key];
    });
}

function flowKeys(text: string): readonly string[] {
  try {
    return Object.keys(JSON.parse(text));
  } catch {
    return [...text.matchAll(FLOW_KEY)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  }
}

export function namesField(text: string, isField: (key: string) => boolean): boolean {
  return keysIn(text).some(isField);
}

/** Whether the text has keys as a program would name them: a header of other fields, and not prose with a colon. */
export function hasPlainKey(text: string): boolean {
  return keysIn(text).some((key) => /^\w[\w-]*$/.test(key));
}
