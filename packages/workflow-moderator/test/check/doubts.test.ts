import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, to } from "../support/index.js";

const META = {
  type: "object",
  required: ["approved", "findings", "notes"],
  properties: {
    approved: { type: "boolean" },
    findings: {
      type: "array",
      items: { type: "object", required: ["level"], properties: { level: { enum: ["low", "high"] } } },
    },
    notes: { type: "array" },
    weights: { type: "object", additionalProperties: { type: "number" } },
  },
};

function problems(expression: string) {
  const graph = { $START: to(["reviewer", null]), reviewer: to(["reviewer", "c"], ["$END", null]) };
  return checkWorkflow(authored({ reviewer: META }, { c: expression }, graph));
}

// Deeper in an output nothing is removed, so an item may have a field that the meta does not declare.
describe("a field of an item that the meta does not declare", () => {
  it.each([
    "$count(steps[-1].output.findings[^severity = 'high']) = 0",
    "$exists(steps[-1].output.findings[^severity = 'high'])",
    "$not($exists(steps[output.findings[^severity = 'high']]))",
    "$count(steps[role='reviewer'].output.findings[^severity = 'high']) > 2",
    "steps[-1].output.findings[0].^severity = 'high'",
    "'high' in steps[-1].output.findings.^severity",
    "$count(steps[-1].output.findings[$lookup($, ^'severity') = 'high']) = 0",
    "$count($filter(steps[-1].output.findings, function($f) { $f.^severity = 'high' })) = 0",
    "$count($map(steps[-1].output.findings, function($f) { $f.^severity })) = 0",
    "($f := steps[-1].output.findings; $count($f[^severity = 'high']) = 0)",
  ])("is warned about once: %s", (marked) => {
    expect(problems(marked.replace("^", ""))).toMatchObject([
      { severity: "warning", code: "unknown-field", offset: marked.indexOf("^"), suggestion: null },
    ]);
  });

  it.each([
    "$exists(steps[-1].output.findings.severity)",
    "$count(steps[-1].output.findings[$exists(severity) and severity = 'high']) = 0",
    "$count(steps[-1].output.findings[(severity ?? 'low') = 'high']) = 0",
    "$count(steps[-1].output.notes[severity = 'high']) = 0",
    "$exists(steps[-1].output.weights.speed) and steps[-1].output.weights.speed > 3",
  ])("is not warned about if the condition asks whether it exists, or if any field may: %s", (expression) => {
    expect(problems(expression)).toEqual([]);
  });

  it.each([
    ["steps[-1].output.findings.^length > 0", "$count(steps[-1].output.findings)"],
    ["steps[-1].output.findings.^size = 0", "$count(steps[-1].output.findings)"],
    ["steps[-1].output.notes.^length > 0", "$count(steps[-1].output.notes)"],
  ])("has a fix if it is the length of another language: %s", (marked, suggestion) => {
    expect(problems(marked.replace("^", ""))).toMatchObject([
      { severity: "warning", code: "unknown-field", offset: marked.indexOf("^"), suggestion },
    ]);
  });
});
