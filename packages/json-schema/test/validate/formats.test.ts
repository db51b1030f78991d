import { describe, expect, it } from "vitest";
import { checkSchema, type Formats, validate, violationMessage } from "../../src/index.js";

const FORMATS: Formats = new Map([
  ["even", { test: (text) => text.length % 2 === 0, words: "text of an even length" }],
  ["date", { test: (text) => text === "today", words: "today" }],
]);

const messages = (schema: Parameters<typeof validate>[0], value: unknown): string[] =>
  validate(schema, value, FORMATS).map(violationMessage);

describe("a format of one's own", () => {
  it("is checked, and named in words", () => {
    expect(messages({ format: "even" }, "ab")).toEqual([]);
    expect(messages({ format: "even" }, 7)).toEqual([]);
    expect(messages({ format: "even" }, "abc")).toEqual([
      'the value: expected text of an even length, got "abc" (format)',
    ]);
  });

  it("is what a missing property should have been", () => {
    expect(messages({ properties: { a: { format: "even" } }, required: ["a"] }, {})).toEqual([
      "/a: expected text of an even length, got nothing (required)",
    ]);
  });

  it("takes the place of one of JSON Schema's", () => {
    expect(messages({ format: "date" }, "today")).toEqual([]);
    expect(messages({ format: "date" }, "2025-12-31")).toEqual([
      'the value: expected today, got "2025-12-31" (format)',
    ]);
  });

  it("may stand in a schema, and is suggested, where it is given", () => {
    expect(checkSchema({ format: "even" }, FORMATS)).toEqual([]);
    expect(checkSchema({ format: "evem" }, FORMATS)).toMatchObject([{ suggestion: "even" }]);
    expect(checkSchema({ format: "even" })).toMatchObject([{ path: "/format" }]);
  });
});
