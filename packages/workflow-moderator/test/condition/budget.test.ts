import { describe, expect, it } from "vitest";
import { evaluateCondition, openEvaluationSession } from "../../src/condition.js";
import { history } from "../support/index.js";

// What an evaluation may make is counted, so these sentences are the same on every runtime and machine.

const TEXTS = "it makes more than 8388608 characters of text";
const ITEMS = "it makes more than 2000000 items of lists";
const STEPS = "it takes more than 2000000 steps of evaluation";
const DEEP = "it is nested too deeply";
const PICTURE = "it uses a picture of more than 1000 characters";

/** A list of `levels` lists, one in the other. */
const nested = (levels: number): string => `$reduce([1..${levels}], function($a, $i) { [[$a]] }, [1])`;

/** 2^40 leaves that take no memory, because they share their parts. */
const SHARED = "$reduce([1..40], function($a, $i) { [[$a], [$a]] }, [1])";

const CONTEXT = history(["a", { text: "x".repeat(60_000) }]);

describe("the budget of an evaluation", () => {
  it.each([
    ["$length($replace($pad('a', 7000000), 'a', 'bbbbbbbb')) > 1", TEXTS],
    ["$length($pad('a', 2e9)) > 1", TEXTS],
    ["$length($pad('a', -1e300)) > 1", TEXTS],
    ["$length($pad('a', 3000000, 'xyz')) > 1", TEXTS],
    ["[$pad('a', 2e9)] ~> $count() > 0", TEXTS],
    ["$map([2e9], $pad('a', ?)) = 'a'", TEXTS],
    ["$length($join([1..200000].$string($), $pad('-', 100))) > 1", TEXTS],
    ["$reduce([1..25], function($a, $i) { $a & $a }, 'a') != ''", TEXTS],
    ["$length($base64encode($pad('', 3000000, 'x'))) > 1", TEXTS],
    ["$length($encodeUrl($pad('', 3000000, 'ü'))) > 1", TEXTS],
    ["$length($uppercase($pad('', 4000000, 'x'))) > 1", TEXTS],
    ["$length($replace('ab', /(a)b/, $pad('', 4000000, '$1'))) > 1", TEXTS],
    ["$length($formatInteger(1e14, 'I')) > 1", TEXTS],
    ["[1..2000].$contains($$.steps[0].output.text, /b/)", TEXTS],
    ["$count($split($pad('', 3000000, 'a'), '')) > 1", ITEMS],
    ["$length($replace($pad('', 2500000, 'a'), 'a', 'b')) > 1", ITEMS],
    ["$length($replace($pad('', 1000000, 'a'), /a/, 'b')) > 1", ITEMS],
    ["$count([1..1000].($count([1..150000]))) > 1", ITEMS],
    ["$count([1..1000].($count($append([1..50000], [1..50000])))) > 1", ITEMS],
    ["$count([1..1000].($count($reverse([1..50000])))) > 1", ITEMS],
    ["$count([1..1000].($count($zip([1..9000], [1..9000])))) > 1", ITEMS],
    [`${SHARED} = ${SHARED}`, ITEMS],
    [`$length($string(${SHARED})) > 1`, ITEMS],
    [`${SHARED}`, ITEMS],
    ["($f := function($x) { $f($x + 1) }; $f(1))", STEPS],
    ["$sort([1..150000], function($l, $r) { $l < $r })", STEPS],
    [`${nested(20_000)} = ${nested(20_000)}`, DEEP],
    [`$length($string(${nested(20_000)})) > 1`, DEEP],
    [`$exists(${nested(20_000)}.x)`, DEEP],
    [`$exists(${nested(20_000)}.**)`, DEEP],
    [`{'a': ${nested(20_000)}}.* = 1`, DEEP],
    [`$keys(${nested(20_000)})`, DEEP],
    [`$spread(${nested(20_000)})`, DEEP],
    ["$$ ~> |$|{'x': $}|", DEEP],
    [`${"(".repeat(3_000)}1${")".repeat(3_000)}`, DEEP],
    [`1${" + 1".repeat(3_000)} > 0`, DEEP],
    ["$formatNumber(1, $pad('', 1001, '0')) = ''", PICTURE],
    ["$fromMillis(0, $pad('', 1001, '[Y]')) = ''", PICTURE],
    ["$toMillis('1', $pad('', 1001, 'x')) = 1", PICTURE],
    [
      "$formatNumber(1.5, '0.' & $pad('', 200, '0')) = ''",
      "it formats a number with more than 100 decimal places",
    ],
  ])("ends %s", async (expression, error) => {
    expect(await evaluateCondition(expression, CONTEXT)).toEqual({ ok: false, error });
  });

  it.each([
    "$length($pad('a', 2000000)) = 2000000",
    "$length($replace($pad('', 400000, 'a'), 'a', 'bb')) = 800000",
    "$count($split($pad('', 1000000, 'a,'), ',')) = 500001",
    "$count([1..200000][$ % 2 = 0]) = 100000",
    "$length($string([1..100000])) > 1",
    "$sort([1..50000])[0] = 1",
    "$count($distinct([1..1500].{'a': $})) = 1500",
    `${nested(200)} != 1`,
    `1${" + 1".repeat(400)} = 401`,
    "$length($pad('', 2600000, '漢字')) = 2600000",
    "$length($substring($pad('', 2600000, '漢字'), 2599990)) = 10",
    "$length($fromMillis(0, '[Y,900000000-900000000]')) = 1000",
  ])("leaves room for %s", async (expression) => {
    expect(await evaluateCondition(expression, CONTEXT)).toEqual({ ok: true, value: true });
  });

  it.each([
    ["$length('a😀漢')", 3],
    ["$substring('a😀漢b', 1, 2)", "😀漢"],
    ["$substring('a😀漢b', -3, 1)", "😀"],
    ["$substring('a😀漢b', -0.5)", "a😀漢b"],
    ["$substring('a😀漢b', 1.9, 1.2)", "😀漢"],
    ["$substring('a😀漢b', 9)", ""],
    ["$pad('😀', 4, '漢a')", "😀漢a漢"],
    ["$pad('😀', -3, '漢')", "漢漢😀"],
  ])("counts characters and makes no list of them: %s", async (expression, value) => {
    expect(await evaluateCondition(expression, CONTEXT)).toEqual({ ok: true, value });
  });

  it("begins anew with each evaluation of a session", async () => {
    const session = openEvaluationSession();
    for (let time = 0; time < 8; time += 1) {
      const observed = await session.observe("$length($pad('a', 2000000)) > 1", CONTEXT);
      expect(observed).toMatchObject({ ok: true, value: { json: "true" } });
    }
    await session.close();
  });

  it("shortens a value that jsonata puts into its sentence", async () => {
    const result = await evaluateCondition("$number($pad('', 100000, '1')) > 1", CONTEXT);
    expect(result).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^Unable to cast .{0,500}… \(D3030/s),
    });
  });
});

describe("the clock of an evaluation", () => {
  // Times of 1970, however late it is.
  it.each([
    ["$toMillis('10', '[s]')", 10_000],
    ["$toMillis('10:00', '[H01]:[m01]')", 36_000_000],
    ["$toMillis('03-04', '[M01]-[D01]')", 5_356_800_000],
    ["$toMillis('7', '[D]')", 518_400_000],
    ["$toMillis('10:30 pm', '[h]:[m] [P]')", 81_000_000],
    ["$toMillis('2024-05-01T10:00:00')", 1_714_557_600_000],
    ["$map(['10'], $toMillis(?, '[s]'))", 10_000],
    ["('10' ~> $toMillis('[s]'))", 10_000],
  ])("%s", async (expression, value) => {
    expect(await evaluateCondition(expression, CONTEXT)).toEqual({ ok: true, value });
    expect(await evaluateCondition(`${expression} = ${value}`, CONTEXT)).toEqual({ ok: true, value: true });
  });
});
