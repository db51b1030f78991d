import { evaluateCondition } from "@uncaged/workflow-moderator";
import type { CasRef, ModeratorContext } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { IDIOMS } from "../../src/help/conditions.js";
import { sandbox } from "../support/uwf.js";

const HASH = "0000000000000" as CasRef;

type Output = Readonly<Record<string, unknown>>;
type Step = readonly [role: string, output: Output];

function history(steps: readonly Step[], prompt = "Do it"): ModeratorContext {
  const start = { workflow: HASH, prompt };
  return {
    start,
    steps: steps.map(([role, output]) => ({ role, output, detail: HASH, agent: "uwf-mock" })),
  } as unknown as ModeratorContext;
}

const last = (output: Output): ModeratorContext => history([["reviewer", output]]);
const turns = (count: number, role: string, output: Output = {}): readonly Step[] =>
  Array.from({ length: count }, () => [role, output] as const);

/** For each idiom a history for which it is true, and one for which it is false. */
const CASES: readonly (readonly [yes: ModeratorContext, no: ModeratorContext])[] = [
  [last({ approved: false }), last({ approved: true })],
  [last({ status: "blocked" }), last({ status: "done" })],
  [last({ status: "unclear" }), last({ status: "done" })],
  [last({ failed: 1 }), last({ failed: 0 })],
  [last({ ok: true, failed: 0 }), last({ ok: true, failed: 2 })],
  [last({ ok: false }), last({ ok: true })],
  [last({ question: "Which one?" }), last({})],
  [last({ severity: "high" }), last({})],
  [last({ findings: [{ level: "low" }] }), last({ findings: [] })],
  [last({ findings: [{ level: "low" }, { level: "high" }] }), last({ findings: [{ level: "low" }] })],
  [last({ findings: [{ level: "low" }] }), last({ findings: [{ level: "low" }, { level: "high" }] })],
  [
    history([
      ["planner", { risk: "low" }],
      ["planner", { risk: "high" }],
      ["developer", {}],
    ]),
    history([
      ["planner", { risk: "high" }],
      ["planner", { risk: "low" }],
      ["developer", {}],
    ]),
  ],
  [
    history([
      ["tester", {}],
      ["developer", {}],
    ]),
    history(turns(1, "developer")),
  ],
  [history(turns(3, "developer")), history(turns(2, "developer"))],
  [
    history(turns(2, "reviewer", { approved: false })),
    history([...turns(1, "reviewer", { approved: false }), ...turns(1, "reviewer", { approved: true })]),
  ],
  [history(turns(5, "developer")), history(turns(6, "developer"))],
  [
    history([
      ["developer", {}],
      ["reviewer", {}],
    ]),
    history(turns(1, "reviewer")),
  ],
  [history(turns(3, "tester", { seconds: 300 })), history(turns(2, "tester", { seconds: 300 }))],
  [history(turns(1, "planner"), "urgent: fix it"), history(turns(1, "planner"), "fix it")],
  [last({ branch: "release/1.2" }), last({ branch: "main" })],
  [last({ verdict: "SHIP" }), last({ verdict: "wait" })],
  [last({ comments: " Good. " }), last({ comments: "  " })],
];

describe("the idioms of `uwf help conditions`", () => {
  it.each(IDIOMS.map(([expression], index) => [expression, index] as const))(
    "%s",
    async (expression, index) => {
      const [yes, no] = CASES[index] ?? [];
      if (yes === undefined || no === undefined) throw new Error("an idiom without a case");
      expect(await evaluateCondition(expression, yes)).toMatchObject({ ok: true, value: true });
      expect(await evaluateCondition(expression, no)).toMatchObject({ ok: true, value: false });
    },
  );

  it("are at least 20, and pass `workflow put` without a warning", async () => {
    expect(IDIOMS.length).toBeGreaterThanOrEqual(20);
    const box = sandbox();
    const put = await box.uwf(["workflow", "put", box.write("idioms.yaml", workflow()), "--strict"]);
    expect(put).toMatchObject({ code: 0, stderr: "" });
  });
});

const FIELDS = `
        approved: { type: boolean }
        ok: { type: boolean }
        status: { type: string, enum: [done, blocked, unclear] }
        failed: { type: integer }
        question: { type: string }
        severity: { type: string, enum: [low, high] }
        findings: { type: array, items: { type: object, required: [level], properties: { level: { enum: [low, high] } } } }
        risk: { type: string, enum: [low, high] }
        seconds: { type: number }
        branch: { type: string }
        verdict: { type: string }
        comments: { type: string }`;

const REQUIRED = "approved, ok, status, failed, findings, risk, seconds, branch, verdict, comments";

function role(name: string): string {
  return `  ${name}:
    description: d
    goal: g
    capabilities: []
    procedure: ""
    output: ""
    meta:
      type: object
      required: [${REQUIRED}]
      properties:${FIELDS}
`;
}

/** Every idiom as a condition after a role with all the fields. */
function workflow(): string {
  const roles = ["planner", "developer", "tester", "reviewer"];
  const conditions = IDIOMS.map(
    ([expression], index) => `  c${index}: { description: d, expression: ${JSON.stringify(expression)} }\n`,
  );
  const taken = IDIOMS.map((_, index) => `    - { role: developer, condition: c${index} }\n`).join("");
  const ways = roles.map((name, index) => {
    const fallback = roles[index + 1] ?? "$END";
    return `  ${name}:\n${name === "reviewer" ? taken : ""}    - { role: ${fallback}, condition: null }\n`;
  });
  return `name: idioms
description: every idiom
roles:
${roles.map(role).join("")}conditions:
${conditions.join("")}graph:
  $START: [{ role: planner, condition: null }]
${ways.join("")}`;
}
