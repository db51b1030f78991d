import { expect, it } from "vitest";

it("the package exports these names and no others", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual([
    "FORMAT_NAMES",
    "MAX_DEPTH",
    "MAX_VALUES",
    "META_SCHEMA",
    "TooMuchWork",
    "applicable",
    "checkSchema",
    "children",
    "copyJson",
    "createValidator",
    "entriesOf",
    "err",
    "escapeSegment",
    "furtherChildren",
    "isObject",
    "keyword",
    "listOf",
    "ok",
    "pointer",
    "resolveRef",
    "schemaProblemMessage",
    "setOwn",
    "subschemas",
    "suggest",
    "validate",
    "violationMessage",
    "violationsOf",
  ]);
});
