import type { Random } from "../frame/index.js";

export type Key = {
  readonly variable: string;
  readonly value: string;
};

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";

/** A key as providers make them, with characters that URLs and JSON write otherwise. */
export function newKey(variable: string, random: Random): Key {
  const letters = Array.from({ length: 32 }, () => LETTERS.charAt(random.below(LETTERS.length)));
  return { variable, value: `sk-${letters.slice(0, 16).join("")}+/${letters.slice(16).join("")}=` };
}

/** A key as others may write it. All of these are promised to be found. */
export function spellingsOf({ value }: Key): readonly string[] {
  return [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString("base64"),
    JSON.stringify(JSON.stringify(value)),
  ];
}

/** The key with terminal codes in the middle, and in two writes. */
export function brokenUp({ value }: Key): readonly [string, string] {
  return [value.slice(0, 15), value.slice(15)];
}
