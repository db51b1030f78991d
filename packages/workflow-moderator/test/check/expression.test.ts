import { describe, expect, it } from "vitest";
import { checkExpression, checkWorkflow } from "../../src/check/index.js";
import { evaluateCondition } from "../../src/condition/index.js";
import { JSONATA_FUNCTIONS } from "../../src/infer/index.js";
import { authored, history, META, to } from "../support/index.js";

describe("an expression", () => {
  it.each([
    "true",
    "steps[-1].output.approved = false",
    "$contains(start.prompt, /fix(es)?/i)",
    "$count($filter(steps, function($s, $i) { $i > 0 and $s.role = 'x' })) > 0",
    "($a := steps; $a@$x#$i[$x.role = 'y'].$i)",
    "steps.output.tags[0]",
    "steps[-1].role = 'x'",
  ])("has no problem: %s", (expression) => {
    expect(checkExpression(expression)).toEqual([]);
  });

  it.each([
    "",
    "   ",
    "/* nothing */",
    "steps[",
    "1 +",
    "a b",
    "'x",
    "/(/",
    "steps..role",
    "a ?? ",
    `${"(".repeat(9_000)}`,
  ])("is refused when it does not parse or is empty: %j", (expression) => {
    expect(checkExpression(expression)).toMatchObject([
      { severity: "error", message: expect.stringMatching(/^it does not parse: /) },
    ]);
  });

  it.each(["$now()", "$millis()", "$random()", "$eval('1')", "($f := $now; $f())", "$map(steps, $random)"])(
    "is refused when it names the clock, chance or $eval: %s",
    (expression) => {
      expect(checkExpression(expression)).toMatchObject([
        { severity: "error", message: expect.stringContaining("is not allowed") },
      ]);
    },
  );

  it.each([
    "$contains(x, /(?=a)/)",
    "$match(x, /(?<!a)b/)",
    "$replace(x, /(a)\\1/, '')",
    "$split(x, /(?<n>a)\\k<n>/)",
  ])("is refused when its regex cannot be matched in bounded time: %s", (expression) => {
    expect(checkExpression(expression)).toMatchObject([
      { severity: "error", message: expect.stringContaining("bounded time") },
    ]);
  });

  it("is refused for the same reason as the step gives", async () => {
    for (const expression of ["$now()", "steps =", "$contains('x', /(?=a)/)", "$contains('x', /a{2000}/)"]) {
      const [problem] = checkExpression(expression);
      const evaluated = await evaluateCondition(expression, history());
      expect(problem?.message).toContain(evaluated.ok ? "refused" : evaluated.error);
    }
  });

  it("is warned about when it names an unknown function, with a did-you-mean", () => {
    expect(checkExpression("$exist(steps)")).toMatchObject([{ severity: "warning", suggestion: "$exists" }]);
  });

  it("knows every function of jsonata", async () => {
    for (const name of JSONATA_FUNCTIONS) {
      expect(await evaluateCondition(`$type($${name}) = 'function'`, history()), name).toEqual({
        ok: true,
        value: true,
      });
    }
  });

  it.each(["steps.role[-1] = 'x'", "$$.steps.output[0].a = 1", "$count(steps.agent[-1]) = 1"])(
    "is warned about when the index is bound to each item: %s",
    (expression) => {
      expect(checkExpression(expression)).toMatchObject([
        { severity: "warning", message: expect.stringContaining("indexes each item separately") },
      ]);
    },
  );

  it("is located by a JSON Pointer, and every one is reported", () => {
    const conditions = { "a/b": "steps[", now: "$now()" };
    const graph = { $START: to(["a", "a/b"], ["a", "now"], ["a", null]), a: to(["$END", null]) };
    expect(checkWorkflow(authored({ a: META }, conditions, graph))).toMatchObject([
      { severity: "error", path: "/conditions/a~1b/expression", message: expect.stringContaining("a/b") },
      { severity: "error", path: "/conditions/now/expression" },
    ]);
  });
});
