import { isObject, type JsonValue, META_SCHEMA, validatePayload } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parseConfig } from "../../src/config/load.js";
import { CONFIG } from "../../src/config/shape.js";
import { WORKFLOW } from "../../src/documents/index.js";
import { configSchema, KEYWORDS, workflowSchema } from "../../src/schemas.js";

type Schema = Readonly<Record<string, JsonValue>>;

/** Every key that a schema describes, with its path. */
function* keysIn(schema: JsonValue, path = ""): Generator<readonly [string, Schema]> {
  if (Array.isArray(schema)) for (const part of schema) yield* keysIn(part, path);
  if (!isObject(schema)) return;
  for (const [name, part] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    if (isObject(part)) yield [`${path}/${name}`, part];
    yield* keysIn(part, `${path}/${name}`);
  }
  for (const inner of ["items", "additionalProperties", "anyOf"]) yield* keysIn(schema[inner] ?? null, path);
  for (const part of Object.values(isObject(schema.patternProperties) ? schema.patternProperties : {}))
    yield* keysIn(part, path);
}

const { $defs: _, ...workflow } = workflowSchema();

describe.each([
  ["a workflow file", workflow, Object.keys(WORKFLOW)],
  ["config.yaml", configSchema(), Object.keys(CONFIG)],
])("the schema of %s", (_name, schema, top) => {
  const keys = [...keysIn(schema)];

  it("has every key of the gate's table", () => {
    expect(Object.keys(isObject(schema.properties) ? schema.properties : {})).toEqual(top);
    expect(keys.length).toBeGreaterThan(20);
  });

  it.each(keys)("describes %s, with an example that satisfies it", (path, property) => {
    if (path !== "/graph/$START") expect(property.examples).toHaveLength(1);
    expect(property.description).toMatch(/^[A-Za-z1[].+[.:]$|^[^.]+$/);
    const { $ref: _, ...own } = property;
    for (const example of Array.isArray(property.examples) ? property.examples : [])
      expect(validatePayload({ ...own, $defs: workflowSchema().$defs ?? {} }, example)).toEqual([]);
  });
});

it("every keyword of JSON Schema has a sentence, and no other word has one", () => {
  const { properties } = META_SCHEMA;
  expect(Object.keys(KEYWORDS)).toEqual(Object.keys(isObject(properties) ? properties : {}));
});

/** Every key of every table. */
const COMPLETE = {
  providers: { p: { baseUrl: "https://example.org/v1", apiKeyEnv: "P_KEY" } },
  models: { m: { provider: "p", name: "n" } },
  agents: {
    a: {
      command: "c",
      args: ["x"],
      timeoutSeconds: 1,
      idleSeconds: 1.5,
      retries: 0,
      resume: false,
      env: ["P_KEY"],
      sandbox: { kind: "bwrap", network: false, writable: ["~/.cache"] },
    },
  },
  defaultAgent: "a",
  agentOverrides: { w: { r: "a" } },
  defaultModel: "m",
  modelOverrides: { extract: "m" },
  notify: { command: "c", args: [], on: ["ended"] },
  maxDepth: 2,
  limits: { default: { maxSteps: 1, maxCostUsd: 1.5, maxMinutes: 0 } },
};

const PROBES: readonly JsonValue[] = [
  null,
  7,
  1.5,
  -1,
  true,
  "",
  "/a text",
  [],
  ["a"],
  [7],
  {},
  { strange: 1 },
];

function* changesOf(value: JsonValue): Generator<JsonValue> {
  yield* PROBES;
  if (!isObject(value)) return;
  yield { ...value, "strange!": 1 };
  for (const [key, inner] of Object.entries(value)) {
    const { [key]: _, ...others } = value;
    yield others;
    for (const changed of changesOf(inner)) yield { ...value, [key]: changed };
  }
}

it("the schema of config.yaml and its gate agree on what stands at every key of every map", async () => {
  const differences: string[] = [];
  for (const value of changesOf(COMPLETE)) {
    const read = await parseConfig(stringify(value), "f");
    const problems = read.ok
      ? read.value.warnings
      : read.error.code === "INVALID_CONFIG"
        ? read.error.problems
        : [];
    const told = problems.filter(({ message }) => !message.startsWith("there is no "));
    const violations = validatePayload(configSchema(), value);
    // A file with comments only is an empty configuration.
    if (value !== null && violations.length > 0 !== told.length > 0)
      differences.push(`${JSON.stringify(value)}: ${told[0]?.message} | ${JSON.stringify(violations[0])}`);
  }
  expect(differences).toEqual([]);
});
