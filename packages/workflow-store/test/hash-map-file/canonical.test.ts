import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HashMap } from "../../src/hash-map-file.js";
import { canonicalText, parseCanonical } from "../../src/hash-map-file.js";
import { HASH_A, HASH_B, threadAt } from "../support/index.js";

const SPEC = { key: "[0-7][0-9A-HJKMNP-TV-Z]{25}", keyName: "thread id" };
const line = (n: number, hash: string = HASH_A) => `${threadAt(n)}: "${hash}"\n`;

describe("parseCanonical", () => {
  it("reads the form that we write", () => {
    const map = parseCanonical(line(1) + line(2, HASH_B), SPEC);
    expect([...(map ?? [])]).toEqual([
      [threadAt(1), HASH_A],
      [threadAt(2), HASH_B],
    ]);
    expect(parseCanonical("{}\n", SPEC)?.size).toBe(0);
  });

  it.each([
    ["nothing", ""],
    ["a newline", "\n"],
    ["no newline at the end", line(1).trimEnd()],
    ["a blank line", `${line(1)}\n${line(2)}`],
    ["a comment", `# mine\n${line(1)}`],
    ["a comment behind", line(1).replace("\n", " # mine\n")],
    ["CRLF", line(1).replace("\n", "\r\n")],
    ["other quotes", line(1).replaceAll('"', "'")],
    ["no quotes", line(1).replaceAll('"', "")],
    ["indentation", `  ${line(1)}`],
    ["descending keys", line(2) + line(1)],
    ["a doubled key", line(1) + line(1)],
    ["a short hash", line(1, "0123")],
    ["a hash in lower case", line(1, "0123456789abc")],
    ["a hash that starts too high", line(1, "Z123456789ABC")],
    ["a short key", line(1).slice(1)],
    ["a list", `- ${line(1)}`],
    ["only a value", ': "0123456789ABC"\n'],
  ])("leaves %s to the YAML parser", (_, text) => {
    expect(parseCanonical(text, SPEC)).toBeNull();
  });
});

function keysOf(map: HashMap | null): readonly string[] | null {
  return map === null ? null : [...map.keys()];
}

describe("the order of keys", () => {
  const names = { key: "[a-z][a-z0-9]*(?:-[a-z0-9]+)*", keyName: "name" };
  const name = fc.stringMatching(/^[a-z][a-z0-9]{0,3}(-[a-z0-9]{1,3})?$/);

  it("is that of strings: sorted entries are canonical, any others are not", () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (keys) => {
        const text = keys.map((key) => `${key}: "${HASH_A}"\n`).join("");
        const isAscending = keys.every((key, n) => n === 0 || keys[n - 1]! < key);
        expect(keysOf(parseCanonical(text, names)) ?? null).toEqual(isAscending ? keys : null);
      }),
    );
  });

  it("is kept by whatever is put in", () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (keys) => {
        const text = canonicalText(new Map(keys.map((key) => [key, HASH_A])));
        expect(keysOf(parseCanonical(text, names))).toEqual([...new Set(keys)].sort());
      }),
    );
  });
});

describe("canonicalText", () => {
  it("is what the map was read from, in the order of its keys", () => {
    for (const text of ["{}\n", line(2) + line(4, HASH_B)])
      expect(canonicalText(parseCanonical(text, SPEC) ?? new Map())).toBe(text);
    const unordered = new Map([4, 1, 3].map((n) => [threadAt(n) as string, HASH_A] as const));
    expect(canonicalText(unordered)).toBe(line(1) + line(3) + line(4));
  });
});
