import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { checkSchema, type JsonValue, validate } from "../../src/index.js";

// The official JSON-Schema-Test-Suite is not part of this repository; it is read where it lies beside it, or where the
// variable says. Where it is absent, its tests are skipped.
const SUITE =
  process.env.UWF_JSON_SCHEMA_SUITE ??
  fileURLToPath(
    new URL("../../../../../shared/conformance/json-schema-test-suite/draft2020-12/", import.meta.url),
  );

type Group = {
  description: string;
  schema: JsonValue;
  tests: { description: string; data: JsonValue; valid: boolean }[];
};
/** `test: null` leaves out the whole group, because its schema is refused. */
type Excluded = { reason: string; cases: { file: string; group: string; test: string | null }[] };
type Outcome = { id: string; required: boolean; result: "passed" | "failed" | "refused" };

const excluded = JSON.parse(
  readFileSync(new URL("../fixtures/json-schema-suite-excluded.json", import.meta.url), "utf8"),
) as Excluded[];

function idOf(file: string, group: string, test: string | null): string {
  return [file, group, ...(test === null ? [] : [test])].join(" | ");
}

function runFile(file: string): Outcome[] {
  const groups = JSON.parse(readFileSync(join(SUITE, file), "utf8")) as Group[];
  const required = !file.startsWith("optional/");
  return groups.flatMap(({ description, schema, tests }): Outcome[] => {
    if (checkSchema(schema).length > 0) {
      return tests.map(() => ({ id: idOf(file, description, null), required, result: "refused" }));
    }
    return tests.map((test) => {
      const valid = validate(schema, test.data).length === 0;
      return {
        id: idOf(file, description, test.description),
        required,
        result: valid === test.valid ? "passed" : "failed",
      };
    });
  });
}

function figures(outcomes: readonly Outcome[]): string {
  const passed = outcomes.filter(({ result }) => result === "passed").length;
  return `passed ${passed} of ${outcomes.length}`;
}

describe.skipIf(!existsSync(SUITE))("the official JSON-Schema-Test-Suite, draft 2020-12", () => {
  const outcomes: Outcome[] = [];
  beforeAll(() => {
    const files = readdirSync(SUITE, { recursive: true, encoding: "utf8" });
    const suites = files.filter((name) => name.endsWith(".json")).sort();
    outcomes.push(...suites.flatMap(runFile));
    expect(outcomes.length).toBeGreaterThan(1000);
  });
  const listed = excluded.flatMap(({ cases }) =>
    cases.map(({ file, group, test }) => idOf(file, group, test)),
  );

  it("passes, but for the cases that the list excludes with a reason", () => {
    const counted = outcomes.filter(({ id }) => !listed.includes(id));
    console.log(
      `JSON-Schema-Test-Suite: ${figures(counted)} (required ${figures(counted.filter((one) => one.required))}); ` +
        `${outcomes.length - counted.length} of ${outcomes.length} cases excluded:`,
    );
    for (const { reason, cases } of excluded) {
      const ids = cases.map(({ file, group, test }) => idOf(file, group, test));
      console.log(`  ${outcomes.filter(({ id }) => ids.includes(id)).length}: ${reason}`);
    }
    expect(counted.filter(({ result }) => result !== "passed").map(({ id }) => id)).toEqual([]);
  });

  it("fails in every case that the list excludes, so the list excludes nothing in vain", () => {
    const passing = outcomes.filter(({ id, result }) => result === "passed" && listed.includes(id));
    expect(passing.map(({ id }) => id)).toEqual([]);
    const known = new Set(outcomes.map(({ id }) => id));
    expect(listed.filter((id) => !known.has(id))).toEqual([]);
  });
});
