import { diffWordsWithSpace } from "diff";
import type { DiffPart, JsonValue, OutputField } from "./types.js";

/** The values of an output, and what has changed since the role's previous one; `null`: there was none. */
export function fieldsOf(output: JsonValue, before: JsonValue | null): readonly OutputField[] {
  const now = new Map(valuesOf("", output, 0));
  if (before === null) return [...now].map(([path, value]) => ({ path, ...value, change: null, diff: null }));
  const then = new Map(valuesOf("", before, 0));
  const fields = [...now].map(([path, value]): OutputField => {
    const old = then.get(path);
    if (old === undefined) return { path, ...value, change: "new", diff: null };
    if (old.value === value.value && old.kind === value.kind)
      return { path, ...value, change: "same", diff: null };
    return { path, ...value, change: "changed", diff: diffOf(old.value, value.value) };
  });
  const gone = [...then].filter(([path]) => !now.has(path));
  return [
    ...fields,
    ...gone.map(([path, value]): OutputField => ({ path, ...value, change: "gone", diff: null })),
  ];
}

type Value = Pick<OutputField, "kind" | "value">;

/** Objects and lists in an output are opened so deep. */
const DEEPEST = 4;
/** A longer list of fields is shown as JSON. */
const MOST = 50;

function valuesOf(path: string, value: JsonValue, depth: number): readonly (readonly [string, Value])[] {
  if (typeof value === "string") return [[path, { kind: "text", value }]];
  const members = typeof value === "object" && value !== null ? Object.entries<JsonValue>(value) : [];
  if (members.length === 0 || members.length > MOST || depth === DEEPEST)
    return [[path, { kind: "data", value: JSON.stringify(value, null, 2) }]];
  return members.flatMap(([name, member]) =>
    valuesOf(path === "" ? name : `${path}.${name}`, member, depth + 1),
  );
}

/** Longer texts are not compared: comparing takes noticeable time, and no person reads the result. */
const LONGEST = 20_000;
/** Words that may differ. The same on every machine, which a limit of time would not be. */
const MOST_EDITS = 600;
/** Of all words of both texts: where more differ, the two texts side by side would be easier to read. */
const MOST_DIFFERENT = 0.4;
/** Of short texts this many. */
const FEW_EDITS = 40;
/** Of the longer text, in characters: where less is the same, the words of both would stand mixed. */
const LEAST_SAME = 0.3;

/** `null`: too different, or too long. */
export function diffOf(before: string, after: string): readonly DiffPart[] | null {
  if (before.length > LONGEST || after.length > LONGEST) return null;
  const words = wordsOf(before) + wordsOf(after);
  const maxEditLength = Math.min(MOST_EDITS, Math.max(FEW_EDITS, Math.ceil(words * MOST_DIFFERENT)));
  const parts = diffWordsWithSpace(before, after, { maxEditLength });
  if (parts === undefined) return null;
  const same = parts.reduce(
    (sum, { value, added, removed }) => sum + (added || removed ? 0 : value.length),
    0,
  );
  if (same < LEAST_SAME * Math.max(before.length, after.length)) return oneAfterTheOther(before, after);
  return parts.map(({ value, added, removed }) => ({
    kind: added ? "new" : removed ? "gone" : "same",
    text: value,
  }));
}

function oneAfterTheOther(before: string, after: string): readonly DiffPart[] {
  const between = before.includes("\n") || after.includes("\n") ? "\n" : " → ";
  return [
    { kind: "gone", text: before },
    { kind: "same", text: between },
    { kind: "new", text: after },
  ];
}

function wordsOf(text: string): number {
  return text.split(/\s+/).length;
}
