import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type JsonValue, validatePayload } from "@uncaged/json-cas";
import { loadChecks } from "@uncaged/workflow-moderator";
import { inspectWorkflowText, type WorkflowCheck, workflowSchema } from "@uncaged/workflow-store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { EXAMPLES, sandbox } from "../support/uwf.js";
import { type LanguageServer, startLanguageServer } from "./language-server.js";

const MODELINE = "# yaml-language-server: $schema=workflow.schema.json\n";
const SCHEMA_FILE = join(EXAMPLES, "workflow.schema.json");
const FILES = readdirSync(EXAMPLES).filter((name) => /^[a-z-]+\.yaml$/.test(name));

const textOf = (name: string): string => readFileSync(join(EXAMPLES, name), "utf8");

describe("the schema of a workflow file", () => {
  it("is what workflow schema prints, and stands beside the examples", async () => {
    const printed = await sandbox().uwf(["workflow", "schema"]);
    // If this fails: uwf workflow schema > examples/workflow.schema.json
    expect(readFileSync(SCHEMA_FILE, "utf8")).toBe(printed.stdout);
    expect(JSON.parse(printed.stdout)).toEqual(workflowSchema());
  });

  it("is named by the first line of every example", () => {
    expect(FILES.length).toBeGreaterThan(6);
    for (const name of FILES) expect(textOf(name).startsWith(MODELINE)).toBe(true);
  });

  it("accepts every example", () => {
    for (const name of FILES) expect(validatePayload(workflowSchema(), parse(textOf(name)))).toEqual([]);
  });
});

/** Every key of every table. */
const COMPLETE: JsonObject = {
  name: "complete",
  description: "d",
  roles: {
    worker: {
      description: "d",
      goal: "g",
      capabilities: ["c"],
      procedure: "p",
      output: "o",
      meta: { type: "object", properties: { items: { type: "array" }, ok: { type: "boolean" } } },
    },
    person: {
      ...texts(),
      agent: { human: { timeout: "3d", default: { ok: false } } },
    },
    children: {
      ...texts(),
      agent: {
        workflow: "child",
        each: "worker.items",
        jobs: 2,
        partial: true,
        output: "steps[-1].output",
        prompt: "task",
      },
    },
  },
  conditions: { ok: { description: "d", expression: "steps[-1].output.ok = true" } },
  graph: {
    $START: [{ role: "worker", condition: null }],
    worker: [
      { role: "person", condition: "ok" },
      { role: "children", condition: null },
    ],
    person: [{ role: "$END", condition: null }],
    children: [{ role: "$FAIL", condition: null }],
  },
};

function texts() {
  const meta = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
  return { description: "d", goal: "g", capabilities: [], procedure: "p", output: "o", meta };
}

/** What may stand where something else belongs. */
const PROBES: readonly JsonValue[] = [
  null,
  7,
  1.5,
  -1,
  true,
  "",
  "a text",
  [],
  ["a"],
  [7],
  {},
  { strange: 1 },
];

type Change = { readonly what: string; readonly value: JsonValue };

/** The document with each of its parts replaced, taken away, or with a strange key. */
function* changesOf(whole: JsonValue, path: readonly string[] = []): Generator<Change> {
  const at = path.reduce<JsonValue>((value, key) => (value as JsonObject)[key] ?? null, whole);
  for (const probe of PROBES)
    yield { what: `${path.join("/")} = ${JSON.stringify(probe)}`, value: put(whole, path, probe) };
  if (path.length > 0) yield { what: `${path.join("/")} is missing`, value: put(whole, path, undefined) };
  if (typeof at !== "object" || at === null || path.at(-1) === "meta" || path.at(-1) === "default") return;
  if (!Array.isArray(at))
    yield { what: `${path.join("/")} with another key`, value: put(whole, [...path, "strange!"], 1) };
  for (const key of Object.keys(at)) yield* changesOf(whole, [...path, key]);
}

function put(whole: JsonValue, [key, ...rest]: readonly string[], value: JsonValue | undefined): JsonValue {
  if (key === undefined) return value ?? null;
  const inner =
    value === undefined && rest.length === 0
      ? undefined
      : put((whole as JsonObject)[key] ?? null, rest, value);
  const entries = Object.entries(whole as JsonObject).filter(([name]) => name !== key);
  if (Array.isArray(whole)) return whole.flatMap((item, at) => (String(at) === key ? (inner ?? []) : [item]));
  return inner === undefined ? Object.fromEntries(entries) : { ...(whole as JsonObject), [key]: inner };
}

describe("the schema and the gate", () => {
  it("agree on what stands at every key of every map", async () => {
    const { checkWorkflow } = await loadChecks();
    const schema = workflowSchema();
    const differences: string[] = [];
    let count = 0;
    for (const { what, value } of changesOf(COMPLETE)) {
      count += 1;
      const refusalsBy = async (check: WorkflowCheck) => {
        const { problems } = await inspectWorkflowText(stringify(value), "complete.yaml", check);
        return problems.filter(({ severity }) => severity === "error");
      };
      const refusals = await refusalsBy(() => []);
      const violations = validatePayload(schema, value);
      const isAccepted = refusals.length === 0 && violations.length > 0;
      if (isAccepted && (await refusalsBy(checkWorkflow)).length === 0)
        differences.push(`only the schema refuses ${what}: ${violations[0]?.expected}`);
      const shape = refusals.find(({ code }) => ["unknown-key", "missing-key", "wrong-type"].includes(code));
      if (violations.length === 0 && shape !== undefined)
        differences.push(`only the gate refuses ${what}: ${shape.message}`);
    }
    expect(differences).toEqual([]);
    expect(count).toBeGreaterThan(500);
  });
});

describe("an editor with a YAML language server", () => {
  let server: LanguageServer;

  beforeAll(async () => {
    server = await startLanguageServer(EXAMPLES);
  });

  afterAll(() => server.stop());

  const text = textOf("solve-issue.yaml");
  const lines = text.split("\n");
  const lineOf = (part: string): number => lines.findIndex((line) => line.includes(part)) + 1;
  const withLine = (after: number, line: string): string =>
    [...lines.slice(0, after), line, ...lines.slice(after)].join("\n");

  it("finds nothing wrong with an example", async () => {
    for (const name of FILES) expect(await server.diagnose(textOf(name))).toEqual([]);
  });

  it("marks unknown, missing and wrong keys, in a meta too", async () => {
    const wrong = text
      .replace("    goal: Let", "    goals: Let")
      .replace("type: boolean", "tpye: boolean")
      .replace("{ role: planner, condition: null }", "{ role: planner, condition: 5 }");
    const found = await server.diagnose(wrong);
    expect(found).toHaveLength(4);
    expect(found).toEqual(
      expect.arrayContaining([
        `${lineOf("  reviewer:")}:3 Missing property "goal".`,
        `${lineOf("    goal: Let")}:5 Property goals is not allowed.`,
        `${lineOf("type: boolean")}:11 Property tpye is not allowed.`,
        `${lineOf("{ role: planner,")}:35 Incorrect type. Expected one of string, null.`,
      ]),
    );
  });

  it("completes keys of the file, of a role, of a transition and of a meta", async () => {
    const after = lines.length;
    expect(await server.complete(`${MODELINE}name: x\n`, 3, 1)).toEqual(
      expect.arrayContaining(["description", "roles", "conditions", "graph"]),
    );
    const role = lineOf("  reviewer:");
    expect(await server.complete(withLine(role, "    "), role + 1, 5)).toContain("agent");
    expect(await server.complete(withLine(after, "  x:\n    - { }"), after + 2, 9)).toEqual(
      expect.arrayContaining(["role", "condition"]),
    );
    const meta = lineOf("type: boolean");
    expect(await server.complete(withLine(meta, "          "), meta + 1, 11)).toEqual(
      expect.arrayContaining(["enum", "minLength", "required"]),
    );
  });

  it("explains a key, with an example", async () => {
    const description = await server.hover(text, lineOf("  reviewer:") + 1, 6);
    expect(description).toContain("What the role is, in one line.");
    expect(description).toContain("Accepts or rejects the change");
    expect(await server.hover(text, lineOf("expression:"), 7)).toContain("must give true or false");
    expect(await server.hover(text, lineOf("minLength"), 13)).toContain("At least so many characters");
  });
});
