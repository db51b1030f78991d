import jsonata from "jsonata";
import { describe, expect, it } from "vitest";
import type { Jsonata } from "../../src/engine/index.js";
import { parseExpression, windowOf } from "../../src/expression.js";

function windowOfText(expression: string): number | null {
  const parsed = parseExpression(jsonata as unknown as Jsonata, expression);
  if (!parsed.ok) throw new Error(`${expression}: ${parsed.error}`);
  return windowOf(parsed.value.ast);
}

describe("the window of an expression", () => {
  it.each([
    ["true", 0],
    ["start.prompt = 'x'", 0],
    ["steps[-1].output.approved", 1],
    ["steps[-1].output.approved = true and steps[-3].role = 'x'", 3],
    ["$exists(steps[-1].output.a) and $not(steps[-2].output.b)", 2],
    ["$count(steps[-1].output.items) > 3", 1],
    ["steps[-1].output.items[severity = 'high'][0].name = 'x'", 1],
    ["steps[-1].output.(a + b) > 3", 1],
    ["steps[-1][output.approved].role = 'x'", 1],
    ["(steps[-1].output.a ? steps[-2].role : 'none') = 'x'", 2],
    ["steps[-1].role in ['a', 'b']", 1],
    ["$contains(steps[-1].output.text, /ab+c/)", 1],
    ["-steps[-1].output.n < 0", 1],
    ["nothing.of.this[steps[-4].x]", 4],
    ["steps[-1000].role = 'x'", 1000],
  ])("of %s is %i", (expression, window) => {
    expect(windowOfText(expression)).toBe(window);
  });

  it.each([
    "$$.steps[0].role = 'x'",
    "$.steps[-1].role = 'x'",
    "$string() = 'x'",
    "$string($) = 'x'",
    "$count() = 1",
    "$contains('x')",
    "steps#$i[-1].$i = 1",
    "steps@$s[-1].role = 'x'",
    "steps[0].role = 'x'",
    "steps[-1.5].role = 'x'",
    "steps[-1001].role = 'x'",
    "steps[$count(steps) - 1].role = 'x'",
    "steps[[-1]].role = 'x'",
    "steps[role = 'x'][-1].output.n = 1",
    "steps.role[-1] = 'x'",
    "$count(steps) > 3",
    "(steps)[-1].role = 'x'",
    "steps[][-1].role = 'x'",
    "steps^(role)[-1].role = 'x'",
    "*[-1].role = 'x'",
    "**.role = 'x'",
    "`steps`[0].role = 'x'",
    "($s := steps[-1]; $s.role = 'x')",
    "steps[-1].%.steps[0].role = 'x'",
    "steps[-1].output.{'a': $$.steps[0]}.a = 1",
    "steps[-1] ~> $lookup('role') = 'x'",
    "steps[-1].($$.steps[0].role) = 'x'",
    "$filter(steps, function($s) { $s.role = 'x' }) = 1",
    "steps[-1].output.items[$$.steps[0].role = 'x'] = 1",
    "$map([1], function($x) { $x }) = 1",
    "{ 'a': steps[-1].role }.a = 'x'",
    "steps[-1].output.text.$length() = 1",
    "($count := function($x) { 1 }; $count(steps[-1]) = 1)",
    "[steps][-1].role = 'x'",
    "(steps[-1] ~> |output|{'x': 1}|).x = 1",
  ])("of %s is the whole history", (expression) => {
    expect(windowOfText(expression)).toBeNull();
  });
});
