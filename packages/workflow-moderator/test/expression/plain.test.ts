import jsonata from "jsonata";
import { describe, expect, it } from "vitest";
import type { Jsonata } from "../../src/engine/index.js";
import {
  bannedIn,
  bannedSentence,
  EXPRESSION_LIMIT,
  isPlain,
  parseExpression,
} from "../../src/expression.js";

function astOf(text: string) {
  const parsed = parseExpression(jsonata as unknown as Jsonata, text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value.ast;
}

describe("isPlain", () => {
  it.each([
    "true",
    "steps[-1].output.approved = false",
    "$exists(steps[-1].output.x) and steps[-1].output.x = 'a'",
    "$count(steps[role = 'developer' and output.ok]) > 2",
    "($l := steps[-1]; $l.output.x in ['a', 'b'])",
    "$filter(steps, function($s) { $contains($s.role, 'x') }) ~> $count() > 1",
    "steps[-1].output.a ?? false",
    "steps[-1].output.a ?: false",
    "$count(steps) % 2 = 0",
  ])("holds for what workflows ask: %s", (expression) => {
    expect(isPlain(astOf(expression))).toBe(true);
  });

  it.each([
    "$pad('x', 9)",
    "'a' & 'b'",
    "[1..9]",
    "[[1], [2]]",
    "[steps, steps]",
    "{'a': 1}",
    "steps{role: 1}",
    "steps^(role)",
    "steps[]",
    "steps.*",
    "**",
    "steps.%",
    "steps@$s",
    "steps#$i",
    "$$ ~> |$|{'a': 1}|",
    "steps.(output)",
    "steps.$count(output)",
    "$map(steps, function($s) { $s })",
    "$reduce(steps, function($a, $b) { $a })",
    "$contains(start.prompt, steps[-1].output.x)",
    "$contains(start.prompt, /x/)",
    `$contains(start.prompt, "${"x".repeat(100)}")`,
    "($f := function($x) { $x }; $f(1))",
    "(function($x) { $x })(1)",
    "$f(1)",
    "$count",
    "$filter(steps, $exists)",
    "$filter(steps, function($s)<o:b> { true })",
    "($count := 1; $count(steps))",
    "$filter(steps, function($count) { $count($$) })",
    "$count(?)",
    "steps ~> $count",
    "$lookup($, 'x')",
    "$string($$)",
    "$lowercase($lowercase($lowercase($lowercase($lowercase($lowercase($lowercase($lowercase($lowercase('a')))))))))",
  ])("does not hold for what jsonata's limits do not bound: %s", (expression) => {
    expect(isPlain(astOf(expression))).toBe(false);
  });
});

describe("bannedIn", () => {
  it.each([
    ["$now()", ["$now"]],
    ["($t := $millis; $t())", ["$millis"]],
    ["$map(steps, $random)", ["$random"]],
    ["steps[$eval('true')]", ["$eval"]],
    ["'a' ~> $eval", ["$eval"]],
    ["$eval(?)", ["$eval"]],
    ["steps^(<$random())", ["$random"]],
    ["{'a': $now(), 'b': $shuffle([1])}", ["$now", "$shuffle"]],
    ["function($x) { $x ? $now() : 1 }", ["$now"]],
    ["steps.now = 'now'", []],
  ])("finds every reference, called or not: %s", (expression, names) => {
    expect(bannedIn(astOf(expression))).toEqual(names);
  });
});

describe("bannedSentence", () => {
  it("gives the reason: the clock and chance, or data that would be code", () => {
    expect(bannedSentence("$eval")).toContain("not in its data");
    expect(bannedSentence("$now")).toContain("not on time or randomness");
  });
});

describe("parseExpression", () => {
  const text = (length: number) => `"${"x".repeat(length - 2)}"`;

  it("takes 16,384 characters and no more", () => {
    expect(EXPRESSION_LIMIT).toBe(16_384);
    expect(parseExpression(jsonata as unknown as Jsonata, text(16_384))).toMatchObject({ ok: true });
    expect(parseExpression(jsonata as unknown as Jsonata, text(16_385))).toEqual({
      ok: false,
      error: "it has 16385 characters, the limit is 16384",
    });
  });
});
