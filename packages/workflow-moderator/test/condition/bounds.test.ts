import { describe, expect, it } from "vitest";
import { evaluateCondition } from "../../src/condition.js";
import { boundsFor } from "../../src/isolated.js";
import { history } from "../support/index.js";

const LONG = `${"a".repeat(50_000)}b`;
const CONTEXT = history(["a", { text: LONG, list: Array.from({ length: 300_000 }, (_, i) => i) }]);

/** Far above the promise, for machines that are busy; a hang is still seen. */
const GENEROUS_MS = 30_000;

async function evaluateInTime(expression: string, context = CONTEXT) {
  const before = Date.now();
  const result = await evaluateCondition(expression, context);
  expect(Date.now() - before).toBeLessThan(GENEROUS_MS);
  return result;
}

describe("an expression that would hang or fill the memory", () => {
  it.each([
    ["a huge padding", '$pad("x", 1000000000) = "x"'],
    ["many large texts", '$map([1..100000], function($x) { $pad("x", 100000) })'],
    ["a text that doubles", '($f := function($s) { $f($s & $s) }; $f("ab"))'],
    ["a replacement that doubles", '($f := function($s) { $f($replace($s, "a", "aa")) }; $f("a"))'],
    ["an endless tail call", "($f := function($x) { $f($x + 1) }; $f(1))"],
    ["an endless recursion", "($f := function($x) { 1 + $f($x + 1) }; $f(1))"],
    ["a long range", "$count([1..10000000])"],
    ["ranges in ranges", "[1..1000].[1..1000].[1..1000]"],
    ["a list that doubles", "($f := function($a) { $f($append($a, $a)) }; $f([1, 2]))"],
    ["a sort of a long list", "$sort([1..150000], function($l, $r) { $l < $r })"],
    ["distinct objects of a long list", "$count($distinct([1..150000].{'a': $}))"],
    [
      "a function that calls its parameter, deeper and deeper",
      "(function($f) { $f($f) })(function($f) { $f($f) })",
    ],
    ["a value that contains itself", "$string($$ ~> |$|{'x': $}|)"],
    ["a comparison of lists that share their parts", COMPARISON()],
    ["a million-element sequence", "steps.output.list.($$.steps.output.list)"],
    ["deep nesting", `${"(".repeat(8_000)}1${")".repeat(8_000)}`],
    ["nested defaults", `${"(".repeat(40)}a${" ?? b)".repeat(40)}`],
    ["an expression without end", `1${" + 1".repeat(20_000)}`],
  ])("is ended and is an error: %s", async (_name, expression) => {
    expect(await evaluateInTime(expression)).toMatchObject({ ok: false, error: expect.any(String) });
  });

  it.each([
    ["^(a+)+$", false],
    ["^(a|aa)+$", false],
    ["(a*)*c", false],
    ["a+b$", true],
    ["^(\\w+\\s?)*$", true],
  ])("matches the catastrophic regex /%s/ in linear time", async (regex, value) => {
    expect(await evaluateInTime(`$contains(steps[-1].output.text, /${regex}/)`)).toEqual({ ok: true, value });
  });

  it("looks at a list of 150,000 numbers once for its distinct values", async () => {
    expect(await evaluateInTime("$count($distinct([1..150000]))")).toEqual({ ok: true, value: 150_000 });
  });
});

describe("a very long history", () => {
  it("is not too long for a condition that reads all of it", async () => {
    const steps = Array.from(
      { length: 20_000 },
      (_, i) => ["dev", { n: i, files: ["a", "b", "c"] }] as const,
    );
    const context = history(...steps);
    expect(await evaluateInTime("$count(steps.output.files) = 60000", context)).toEqual({
      ok: true,
      value: true,
    });
    expect(await evaluateInTime("$max(steps.output.n)", context)).toEqual({ ok: true, value: 19_999 });
    expect(await evaluateInTime("$count($distinct(steps.role)) = 1", context)).toEqual({
      ok: true,
      value: true,
    });
  });

  it("is not too long for a regex that is tried on ten thousand steps", async () => {
    const steps = Array.from({ length: 10_000 }, (_, i) => ["dev", { note: `step ${i}` }] as const);
    const context = history(...steps);
    const matches = "$count(steps[$contains(output.note, /^step \\d*7$/)])";
    expect(await evaluateInTime(`${matches} = 1000`, context)).toEqual({ ok: true, value: true });
    expect(await evaluateInTime(matches, context)).toEqual({ ok: true, value: 1_000 });
  });

  it("gets extra memory and time besides the expression's limits", () => {
    const mib = 1024 * 1024;
    expect(boundsFor(3 * mib)).toEqual({ memoryMib: 512 + 24, seconds: 10, patienceMs: 60_000 });
    expect(boundsFor(40 * mib)).toEqual({ memoryMib: 512 + 320, seconds: 12, patienceMs: 72_000 });
  });
});

describe("the linear regex engine", () => {
  it.each([
    ["$match(steps[-1].output.text, /a(b)/).groups", ["b"]],
    ["$match('a1b22', /[0-9]+/).match", ["1", "22"]],
    ["$match('a1b22', /[0-9]+/).index", [1, 3]],
    ["$replace('2024-05', /(\\d+)-(\\d+)/, '$2/$1')", "05/2024"],
    ["$split('a, b;c', /[,;] */)", ["a", "b", "c"]],
    ["$contains('Hello', /^hELLO$/i)", true],
    ["$contains('a\nb', /^b$/m)", true],
    ["$contains('a\nb', /^b$/)", false],
    ["$contains('a/b', /a\\/b/)", true],
    ["$contains('é', /\\u00e9/)", true],
    ["$match('ab', /(a)|(b)/)[1].groups[0] = 'b'", false],
  ])("matches as JSONata's own: %s", async (expression, value) => {
    expect(await evaluateInTime(expression)).toEqual({ ok: true, value });
  });

  it.each([
    ["/(?=a)/", "lookahead"],
    ["/(?!a)/", "lookahead"],
    ["/(?<=a)b/", "lookbehind"],
    ["/(?<!a)b/", "lookbehind"],
    ["/(a)\\1/", "back-references"],
    ["/(?<x>a)\\k<x>/", "back-references"],
    ["/a{2000}/", "refused"],
  ])("refuses %s with a clear message", async (regex, word) => {
    const result = await evaluateInTime(`$contains('x', ${regex})`);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining(word) });
  });
});

/** Two values of 2^40 leaves that take no memory, because they share their parts. */
function COMPARISON(): string {
  const grown = `$reduce([1..40], function($a, $b) { [[$a], [$a]] }, [1])`;
  return `${grown} = ${grown}`;
}
