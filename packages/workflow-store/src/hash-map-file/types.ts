import type { Hash } from "@uncaged/json-cas";

/** What one flat file may hold: `<key>: "<hash>"`, a line each, sorted by key. */
export type HashMapSpec = {
  /** Source of a regular expression, without anchors, that matches a whole key. */
  readonly key: string;
  /** What a key is, for the sentence that refuses one: `thread id`. */
  readonly keyName: string;
};

/** Key to hash, in the order of the file. */
export type HashMap = ReadonlyMap<string, Hash>;

/** One line to set, or to take out when `value` is `null`. */
export type HashMapEdit = { readonly key: string; readonly value: Hash | null };

/** Why a file cannot be read; `line` counts from 1 and is `null` where no line is to blame. */
export type HashMapDamage = { readonly line: number | null; readonly reason: string };
