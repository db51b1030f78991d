import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateCondition } from "../../src/condition.js";
import { frozen, history } from "../support/index.js";

const CONTEXT = frozen(
  history(
    ["developer", { files: ["a.ts"], score: 3, name: "Ann", empty: null }],
    ["reviewer", { approved: false, tags: ["x", "y"], items: [{ n: 1 }, { n: 2 }] }],
  ),
);

// Right in this process and in the evaluator's; a regex in front forces the latter.
const VALUES: readonly (readonly [string, unknown])[] = [
  ["steps[-1].output.approved = false", true],
  ["steps[-1].role = 'reviewer' and $count(steps) = 2", true],
  ["$count(steps[role = 'developer']) >= 1", true],
  ["$count($filter(steps, function($s) { $s.role = 'developer' })) = 1", true],
  ["$count($filter(steps, function($s) { $contains($s.role, 'dev') }))", 1],
  ["steps[-1].role in ['reviewer', 'tester']", true],
  ["steps.output.score", 3],
  ["steps[0].output.files[0]", "a.ts"],
  ["steps[-1].output.items.n", [1, 2]],
  ["steps[-1].output.items[n = 2].n", 2],
  ["($last := steps[-1].output; $last.approved ? 'yes' : 'no')", "no"],
  ["$sum(steps[-1].output.items.n) - 1 = 2", true],
  ["steps ~> $count()", 2],
  ["steps[0].output.empty", null],
  ["steps[0].output.gone", undefined],
  ["steps[0].output.gone ?? 'none'", "none"],
  ["$lowercase(steps[0].output.name) = 'ann'", true],
  ["$not($exists(steps[7]))", true],
  ["-$max(steps[-1].output.items.n)", -2],
  ["start.prompt", "Fix the bug"],
];

describe("evaluateCondition", () => {
  it.each(VALUES)("evaluates %s over a frozen context", async (expression, value) => {
    expect(await evaluateCondition(expression, CONTEXT)).toEqual({ ok: true, value });
  });

  it.each(VALUES)("evaluates %s in the evaluator process to the same", async (expression, value) => {
    const isolated = `($contains('', /x/); ${expression})`;
    expect(await evaluateCondition(isolated, CONTEXT)).toEqual({ ok: true, value });
  });

  it.each([
    ["$join(steps.role, '-')", "developer-reviewer"],
    ["$map(steps, function($s) { $uppercase($s.role) })", ["DEVELOPER", "REVIEWER"]],
    ["steps^(>role)[0].role", "reviewer"],
    ["steps{role: $count($)}", { developer: 1, reviewer: 1 }],
    [
      "$$.steps[-1].output ~> |$|{'approved': true}|",
      { ...(CONTEXT.steps[1]?.output as object), approved: true },
    ],
    ["($$ ~> |steps|{'role': 'x'}|).steps.role", ["x", "x"]],
    ["(($clone := function($x) { $x }); $$ ~> |$|{'start': 1}|).start", 1],
    ["steps[].role", ["developer", "reviewer"]],
    ["$toMillis('10:00', '[H01]:[m01]')", 36_000_000],
  ])("leaves the context as it was: %s", async (expression, value) => {
    expect(await evaluateCondition(expression, CONTEXT)).toEqual({ ok: true, value });
    expect(CONTEXT.steps[0]?.role).toBe("developer");
  });

  it.each([
    "steps.constructor",
    "steps.__proto__",
    "$lookup($, '__proto__')",
    "$lookup($, 'constructor')",
    "$keys($)[$ = 'constructor']",
    "steps[0].toString",
    "$sum.constructor",
    "(function($x) { $x }).constructor",
    "$each($spread($sum), function($v) { $v.constructor })",
  ])("does not reach a prototype: %s", async (expression) => {
    const result = await evaluateCondition(expression, CONTEXT);
    expect(result.ok ? result.value : undefined).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it.each([
    "$now()",
    "$millis() > 0",
    "$random() > 0.5",
    "$eval('true')",
    "$shuffle(steps)",
    "($t := $now; $t())",
  ])("refuses the clock, chance and code made of data: %s", async (expression) => {
    expect(await evaluateCondition(expression, CONTEXT)).toMatchObject({
      ok: false,
      error: expect.stringContaining("is not allowed"),
    });
  });

  it.each(["steps[", "", "  ", "1 +", "'open", "steps[-1].role = 'a", "/(/"])(
    "tells why %j does not parse",
    async (expression) => {
      expect(await evaluateCondition(expression, CONTEXT)).toMatchObject({ ok: false });
    },
  );

  it("reads an output only when the expression does", async () => {
    const reads: string[] = [];
    const steps = ["a", "b"].map((role) => ({
      role,
      detail: "D",
      agent: "x",
      get output() {
        reads.push(role);
        return { approved: true };
      },
    }));
    const context = { ...CONTEXT, steps } as unknown as typeof CONTEXT;
    expect(await evaluateCondition("steps[-1].role = 'b' and $count(steps) = 2", context)).toMatchObject({
      value: true,
    });
    expect(reads).toEqual([]);
    expect(await evaluateCondition("steps[-1].output.approved", context)).toMatchObject({ value: true });
    expect(new Set(reads)).toEqual(new Set(["b"]));
  });

  it.each(["steps.output", "$join([steps.output.x], '')"])(
    "hands on what a getter of the context throws: %s",
    async (expression) => {
      const steps = [
        {
          get output(): never {
            throw new TypeError("the node is damaged");
          },
        },
      ];
      const context = { ...CONTEXT, steps } as unknown as typeof CONTEXT;
      await expect(evaluateCondition(expression, context)).rejects.toThrow("the node is damaged");
    },
  );

  it("returns any JSON value, in either process", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
        const output = JSON.parse(JSON.stringify({ value }));
        const context = history(["a", output]);
        const here = await evaluateCondition("steps[-1].output = $$.steps[0].output", context);
        expect(here).toEqual({ ok: true, value: true });
      }),
      { numRuns: 100 },
    );
  });
});
