import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";

const NOTE = {
  type: "object",
  required: ["note"],
  properties: {
    note: { type: "string" },
    approved: { type: "boolean" },
    level: { enum: ["low", "high"] },
    files: { type: "array", items: { type: "string" } },
    thread: { type: "string" },
  },
} as const;

const MAP = {
  type: "object",
  required: ["results", "ok"],
  properties: { results: { type: "array", items: NOTE }, ok: { type: "boolean" } },
} as const;

/** The messages about the output of a role that a child thread plays. */
function problemsOf(
  output: string,
  meta: AuthoredWorkflow["roles"][string]["meta"],
  each: string | null,
): readonly string[] {
  const texts = { description: "d", goal: "g", capabilities: [], procedure: "", output: "" };
  const workflow = { name: "work", each, jobs: 1, partial: false, output, prompt: "role" } as const;
  return checkWorkflow({
    name: "parent",
    description: "",
    roles: { lead: { ...texts, meta, agent: { workflow } } },
    conditions: {},
    graph: { $START: [{ role: "lead", condition: null }], lead: [{ role: "$END", condition: null }] },
  } as AuthoredWorkflow).map(
    ({ severity, message, suggestion }) =>
      `${severity}: ${message}${suggestion === null ? "" : ` → ${suggestion}`}`,
  );
}

describe("the output that a workflow makes of its child", () => {
  it.each([
    ["{ 'note': steps[-1].output.summary }"],
    ["{ 'note': 'done', 'approved': steps[-1].output.ok = true, 'level': 'low' }"],
    ["{ 'note': 'done', 'files': [steps[-1].output.file] }"],
    ["steps[-1].output"],
    ["$merge([steps[0].output, { 'note': 'x' }])"],
    ["{ $string(steps[-1].role): 'x' }"],
    ["($n := steps[-1].output.text; { 'note': $n })"],
    ["steps[-1].output.ok ? { 'note': 'yes' } : { 'note': 'no' }"],
  ])("fits meta: %s", (output) => {
    expect(problemsOf(output, NOTE, null)).toEqual([]);
  });

  it.each([
    ["{ 'approved': true }", ["it makes no field note, which meta requires"]],
    [
      "{ 'notes': 'x', 'note': 'y' }",
      ["meta has no field notes, so it is left out; its fields: note, approved, level, files, thread → note"],
    ],
    [
      "{ 'note': 'x', 'thread': steps[-1].detail }",
      ["the field thread is what uwf says of the child, so this one is left out"],
    ],
    ["{ 'note': 3 }", ["the field note is a number, but meta wants string"]],
    ["{ 'note': 'x', 'approved': 'yes' }", ["the field approved is a text, but meta wants boolean"]],
    [
      "{ 'note': 'x', 'approved': $count(steps) }",
      ["the field approved is a number, but meta wants boolean"],
    ],
    ["{ 'note': 'x', 'level': 'medium' }", ['the field level is "medium", but meta allows "low", "high"']],
    ["{ 'note': 'x', 'files': 'a' & 'b' }", ["the field files is a text, but meta wants array"]],
    [
      "$count(steps) > 1",
      ["it makes true or false, but an output is an object, as in { 'note': steps[-1].output.note }"],
    ],
    ["'done'", ["it makes a text, but an output is an object, as in { 'note': steps[-1].output.note }"]],
    [
      "[{ 'note': 'x' }]",
      ["it makes a list, but an output is an object, as in { 'note': steps[-1].output.note }"],
    ],
    ["(1; {})", ["it makes no field note, which meta requires"]],
    [
      "steps[-1].output.ok ? { 'note': 'x' } : { 'why': 'y' }",
      [
        "it makes no field note, which meta requires",
        "meta has no field why, so it is left out; its fields: note, approved, level, files, thread",
      ],
    ],
  ])("does not fit meta: %s", (output, messages) => {
    expect(problemsOf(output, NOTE, null)).toEqual(
      messages.map((message) => `error: the output of lead: ${message}`),
    );
  });

  it("makes the items of results in a map", () => {
    expect(problemsOf("{ 'note': 'x' }", MAP, "lead.files")).not.toContainEqual(
      expect.stringContaining("the output of lead"),
    );
    expect(problemsOf("{ 'results': [] }", MAP, "lead.files")).toContain(
      "error: the output of lead: it makes no field note, which meta requires",
    );
  });

  it("may lack what uwf adds where meta declares it", () => {
    const meta = { type: "object", required: ["note", "thread"], properties: NOTE.properties } as const;
    expect(problemsOf("{ 'note': 'x' }", meta, null)).toEqual([]);
  });
});

describe("a field of the meta that uwf fills with what it knows of the child", () => {
  const withFields = (properties: Readonly<Record<string, unknown>>) =>
    ({ ...NOTE, properties: { ...NOTE.properties, ...properties } }) as typeof NOTE;

  it.each([
    [{ ok: { type: "string" } }, "ok", "of type boolean"],
    [{ reason: { type: "integer" } }, "reason", "one of end, failed, killed"],
    [{ reason: { enum: ["approved", "refused"] } }, "reason", "one of end, failed, killed"],
    [{ thread: { $ref: "#/$defs/t" } }, "thread", "of type string"],
    [{ steps: { type: ["array", "null"] } }, "steps", "of type integer"],
  ])("is an error if it cannot be that: %j", (fields, name, wanted) => {
    const meta = { ...withFields(fields), $defs: { t: { type: "object" } } };
    expect(problemsOf("steps[-1].output", meta, null)).toEqual([
      `error: the meta of lead: the field ${name} is what uwf says of the child, ${wanted}: declare it so, or give yours another name`,
    ]);
  });

  it("is one as well in a map, and none where it fits or is a field of the items", () => {
    const fits = { ok: { const: true }, reason: { enum: ["end"] }, steps: { type: "number" } };
    expect(problemsOf("steps[-1].output", withFields(fits), null)).toEqual([]);
    const inItems = {
      ...MAP.properties,
      results: { type: "array", items: withFields({ steps: { type: "array" } }) },
    };
    expect(problemsOf("steps[-1].output", { ...MAP, properties: inItems }, "lead.files")).toEqual([]);
    const count = { ...MAP, properties: { ...MAP.properties, count: { type: "string" } } };
    expect(problemsOf("steps[-1].output", count, "lead.files")).toEqual([
      expect.stringContaining("the field count is what uwf says of the child, of type integer"),
    ]);
  });
});
