import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadChecks } from "@uncaged/workflow-moderator";
import { inspectWorkflowText } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { sandbox } from "../support/uwf.js";
import { MISTAKES } from "./mistakes.js";

const RIGHT = readFileSync(join(import.meta.dirname, "ship-change.yaml"), "utf8");

async function problemsOf(text: string) {
  const { checkWorkflow } = await loadChecks();
  return (await inspectWorkflowText(text, "ship-change.yaml", checkWorkflow)).problems;
}

/** The text without the mark, and where the mark stood; without one: wherever it is found. */
function planted(from: string, to: string) {
  if (!RIGHT.includes(from)) throw new Error(`the workflow has no ${JSON.stringify(from)}`);
  const marked = RIGHT.replace(from, () => to);
  const before = marked.slice(0, marked.indexOf("^"));
  const place = { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
  return { text: marked.replace("^", ""), place: to.includes("^") ? place : {} };
}

describe("a workflow with one mistake", () => {
  it("is otherwise right", async () => {
    expect(await problemsOf(RIGHT)).toEqual([]);
  });

  it.each(MISTAKES)(
    "%s: is found once, at its place, with its fix",
    async (_what, from, to, code, message, suggestion) => {
      const { text, place } = planted(from, to);
      const problems = await problemsOf(text);
      expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
      expect(problems).toMatchObject([{ code, suggestion, ...place }]);
    },
  );

  it("is one of more than a hundred", () => {
    expect(MISTAKES.length).toBeGreaterThan(100);
    expect(new Set(MISTAKES.map(([what]) => what)).size).toBe(MISTAKES.length);
  });

  it("names every place of it", async () => {
    const twice = RIGHT.replaceAll("condition: rejected", "condition: rejectd");
    expect(await problemsOf(twice)).toMatchObject([
      { code: "unknown-condition", line: 59, suggestion: "rejectd" },
    ]);
    const unknown = RIGHT.replaceAll("role: developer", "role: tester");
    expect(await problemsOf(unknown)).toMatchObject([
      {
        code: "unknown-role",
        message: "planner leads to tester, which is not a role",
        line: 72,
        also: [
          { line: 78, column: 15 },
          { line: 81, column: 15 },
        ],
      },
    ]);
  });

  it("is shown with the command line's own words", async () => {
    const box = sandbox();
    const { text } = planted("role: $END", "role: ^END");
    box.write("ship-change.yaml", text);
    const ran = await box.uwf(["workflow", "validate", "ship-change.yaml", "--format", "text"]);
    expect(ran.stdout).toBe(
      [
        "ship-change.yaml:82:15: error[unknown-role]: approver leads to END, which is not a role",
        "  81 |     - { role: developer, condition: rejected }",
        "  82 |     - { role: END, condition: null }",
        '     |               ^^^ did you mean "$END"?',
        "",
        "ship-change.yaml: not valid: 1 error",
        "",
      ].join("\n"),
    );
  });
});
