import { checkWorkflow } from "../../src/check/index.js";
import { authored, type Graph, to } from "../support/index.js";

type Meta = Parameters<typeof authored>[0][string];

/** Roles with every kind of field that a condition can ask for. */
export const METAS: Readonly<Record<string, Meta>> = {
  planner: {
    type: "object",
    properties: {
      status: { type: "string", enum: ["planned", "aborted"] },
      phases: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "string" },
            title: { type: "string" },
            size: { enum: ["small", "large"] },
          },
          required: ["id", "title"],
          additionalProperties: false,
        },
      },
    },
    required: ["status", "phases"],
    additionalProperties: false,
  },
  // Open: but what it declares is all that its reply can bring.
  fixer: {
    type: "object",
    properties: {
      status: { type: "string", enum: ["done", "partial"] },
      filesChanged: { type: "array", items: { type: "string" }, minItems: 1 },
      summary: { type: "string" },
      commit: { type: "string" },
      "exit code": { type: "integer" },
    },
    required: ["status", "filesChanged", "summary"],
  },
  reviewer: {
    type: "object",
    properties: {
      approved: { type: "boolean" },
      status: { type: "string", enum: ["approved", "rejected", "blocked"] },
      comments: { type: "string" },
      score: { type: "integer", minimum: 0, maximum: 10 },
      note: { type: ["string", "null"] },
      report: {
        type: "object",
        properties: { kind: { $ref: "#/$defs/kind" }, lines: { type: "integer" } },
        required: ["kind"],
      },
      findings: {
        type: "array",
        items: {
          type: "object",
          properties: { file: { type: "string" }, blocking: { type: "boolean" } },
          required: ["file", "blocking"],
          additionalProperties: false,
        },
      },
    },
    required: ["approved", "status", "comments", "score", "report", "findings"],
    additionalProperties: false,
    $defs: { kind: { enum: ["bug", "style"] } },
  },
  tester: {
    oneOf: [
      {
        type: "object",
        properties: { ok: { const: true }, seconds: { type: "number", minimum: 0 } },
        required: ["ok", "seconds"],
        additionalProperties: false,
      },
      {
        type: "object",
        properties: { ok: { const: false }, reason: { type: "string" }, code: { type: "integer" } },
        required: ["ok", "reason"],
        additionalProperties: false,
      },
    ],
  },
  scribe: { type: "object" },
};

/** Where the condition `c` is asked; by default behind the reviewer. */
export function office(expression: string, ...after: readonly string[]) {
  const keys = after.length === 0 ? ["reviewer"] : after;
  const ask = (key: string, next: string) =>
    keys.includes(key) ? to([next, "c"], [next, null]) : to([next, null]);
  const graph: Graph = {
    $START: ask("$START", "planner"),
    planner: ask("planner", "fixer"),
    fixer: ask("fixer", "reviewer"),
    reviewer: ask("reviewer", "tester"),
    tester: ask("tester", "scribe"),
    scribe: ask("scribe", "$END"),
  };
  return checkWorkflow(authored(METAS, { c: expression }, graph));
}

/** After the reviewer in a workflow whose roles all declare fields. */
export function team(expression: string) {
  const { scribe: _, ...metas } = METAS;
  const graph: Graph = {
    $START: to(["planner", null]),
    planner: to(["fixer", null]),
    fixer: to(["reviewer", null]),
    reviewer: to(["tester", "c"], ["tester", null]),
    tester: to(["$END", null]),
  };
  return checkWorkflow(authored(metas, { c: expression }, graph));
}
