import { describe, expect, it } from "vitest";
import { checkSchema, validate } from "../src/index.js";
import { ARRAYS } from "./cases/arrays.js";
import { BRANCHES } from "./cases/branches.js";
import type { Case } from "./cases/case.js";
import { CONDITIONS } from "./cases/conditions.js";
import { EDGES } from "./cases/edges.js";
import { ENUM_AND_CONST } from "./cases/enum-const.js";
import { FORMATS } from "./cases/formats.js";
import { NUMBERS } from "./cases/numbers.js";
import { OBJECTS } from "./cases/objects.js";
import { REFS } from "./cases/refs.js";
import { REQUIRED } from "./cases/required.js";
import { STRINGS } from "./cases/strings.js";
import { TYPE } from "./cases/type.js";
import { UNEVALUATED } from "./cases/unevaluated.js";

// What each keyword means, sentence by sentence, and what the report names where a value does not fit.

const GROUPS: Readonly<Record<string, readonly Case[]>> = {
  type: TYPE,
  "enum and const": ENUM_AND_CONST,
  numbers: NUMBERS,
  "texts and patterns": STRINGS,
  arrays: ARRAYS,
  objects: OBJECTS,
  "required members": REQUIRED,
  "allOf, anyOf, oneOf and not": BRANCHES,
  "if, then and else": CONDITIONS,
  "$ref and $defs": REFS,
  "what is unevaluated": UNEVALUATED,
  formats: FORMATS,
  edges: EDGES,
};

for (const [group, cases] of Object.entries(GROUPS)) {
  describe(group, () => {
    for (const { says, schema, value, violations } of cases) {
      it(says, () => {
        expect(checkSchema(schema)).toEqual([]);
        const found = validate(schema, value).map(({ path, keyword }) => `${path} ${keyword}`.trim());
        expect(found).toEqual(violations);
      });
    }
  });
}

const all = Object.values(GROUPS).flat();

it("there are 400 cases and more, each with a sentence of its own", () => {
  expect(all.length).toBeGreaterThanOrEqual(400);
  for (const cases of Object.values(GROUPS)) {
    const said = cases.map(({ says }) => says);
    expect(said.filter((one, index) => said.indexOf(one) !== index)).toEqual([]);
  }
});

it("four in ten cases and more are invalid ones, and as many valid", () => {
  const refused = all.filter(({ violations }) => violations.length > 0).length;
  expect(refused / all.length).toBeGreaterThan(0.4);
  expect(refused / all.length).toBeLessThan(0.6);
});
