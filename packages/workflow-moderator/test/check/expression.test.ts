import { describe, expect, it } from "vitest";
import { checkExpression, checkWorkflow } from "../../src/check/index.js";
import { evaluateCondition } from "../../src/condition.js";
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

  it.each([
    ["$exist(steps)", "unknown-function", "$exists"],
    ["^$steps[-1].output.approved", "unknown-variable", "steps"],
    ["$not(^$steps[-1].output.approved)", "unknown-variable", "steps"],
    ["^$step = 1", "unknown-variable", "steps"],
    ["^$output.approved", "unknown-variable", "steps[-1].output"],
    ["$not(^$approved)", "unknown-variable", "steps[-1].output.approved"],
    ["^$prompt = 'x'", "unknown-variable", "start.prompt"],
    ["($last := steps[-1]; ^$lst.output.approved)", "unknown-variable", "$last"],
    ["(($a := steps[-1]); ^$a.output.approved)", "unknown-variable", null],
    ["$count($filter(steps, function($s) { ^$t.role = 'x' })) > 0", "unknown-variable", null],
    ["$count($filter(steps, function($s) { true })[^$s.role = 'x']) > 0", "unknown-variable", null],
    ["$count($map(steps, ^$lenght)) > 1", "unknown-variable", "$length"],
    ["true ? false : ^$steps", "unknown-variable", "steps"],
  ])("is refused where it names what nothing binds: %s", (marked, code, suggestion) => {
    const offset = Math.max(0, marked.indexOf("^"));
    expect(checkExpression(marked.replace("^", ""), undefined, ["approved"])).toMatchObject([
      { severity: "error", code, offset, suggestion },
    ]);
  });

  it.each([
    "($f := function($n) { $n > 3 ? $g($n) : true }; $g := function($n) { $n < 9 }; $f(5))",
    "($r := 'x'; $count(steps[role = $r]) > 1)",
    "$reduce([1, 2], function($a, $b) { $a + $b }) = 3",
    "$sift(steps[-1].output, function($v, $k) { $k = 'x' }) != null",
  ])("may name what it binds: %s", (expression) => {
    expect(checkExpression(expression)).toEqual([]);
  });

  it("knows every function of jsonata", async () => {
    const ofOthers = [...JSONATA_FUNCTIONS].map((name) => `($type($${name}) != 'function' ? '${name}')`);
    expect(await evaluateCondition(`$count([${ofOthers.join(", ")}]) = 0`, history())).toEqual({
      ok: true,
      value: true,
    });
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
