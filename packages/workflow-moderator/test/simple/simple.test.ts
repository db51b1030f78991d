import type { ModeratorContext } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { observeByJsonata } from "../../src/condition/index.js";
import { evaluateSimple, parseSimple, windowOfSimple } from "../../src/simple/index.js";

type Output = ModeratorContext["steps"][number]["output"];

function contextOf(outputs: readonly Output[]): ModeratorContext {
  const facts = { role: "worker", detail: "0000000000001", agent: "uwf-test" };
  const steps = outputs.map((output) => ({ ...facts, output }));
  return { start: { workflow: "0000000000000", prompt: "Do it" }, steps } as unknown as ModeratorContext;
}

function answer(expression: string, outputs: readonly Output[]): boolean | null {
  const simple = parseSimple(expression);
  return simple === null ? null : evaluateSimple(simple, contextOf(outputs));
}

describe("a simple condition", () => {
  const outputs = [
    { ok: false, n: 1 },
    { ok: true, n: 2, kind: "bug", deep: { on: null }, list: [1] },
  ];

  it.each([
    ["steps[-1].output.ok", true],
    ["steps[-2].output.ok", false],
    ["steps[-1].output.ok = true", true],
    ["steps[-1].output.kind != 'bug'", false],
    ['steps[ - 1 ].output.kind = "bug" and steps[-1].output.n >= 2', true],
    ["steps[-2].output.n > 1 or $not(steps[-1].output.ok)", false],
    ["$exists(steps[-1].output.deep.on) and $not($exists(steps[-1].output.gone))", true],
    ["(steps[-1].role = 'worker') = true", true],
    ["steps[-1].output.deep.on = null", true],
    ["steps[-9].output.ok = true", false],
    ["start.prompt = 'Do it'", true],
    ["true", true],
    ["$count(steps) = 2", true],
    ["$count(steps[output.ok = true]) > 0", true],
    ["$count ( steps [ role = 'worker' and output.n < 2 ] ) = 1", true],
    ["$count(steps[output.gone = 1]) = 0", true],
    ["$exists(steps[output.kind = 'bug'])", true],
    ["$not($exists(steps[output.n > 2]))", true],
    ["$count(steps[output.ok]) >= $count(steps[$not(output.ok)])", true],
    ["$count(steps[$exists(output.deep)]) = 1 and steps[-1].output.ok", true],
    ["$exists(steps[start.prompt = 'Do it'])", false],
    ["$count(steps[true]) = 2", true],
  ])("%s is %s without JSONata", (expression, expected) => {
    expect(answer(expression, outputs)).toBe(expected);
  });

  it.each([
    ["an error", "steps[-1].output.ok < 3"],
    ["no value", "steps[-1].output.gone"],
    ["another value", "steps[-1].output.n"],
    ["a list", "steps[-1].output.list = 1"],
    ["a list on the way", "steps[-1].output.list.a = 1"],
    ["an object", "steps[-1].output.deep = true"],
    ["something as a truth value", "steps[-1].output.n and true"],
    ["nothing inverted", "$not(steps[-1].output.gone)"],
    ["what every object has", "$exists(steps[-1].output.toString)"],
    ["a number", "$count(steps)"],
    ["a step by its number", "$exists(steps[output.n])"],
    ["the first step", "$exists(steps[0])"],
    ["a filter that fails at one step", "$count(steps[output.ok < 3]) > 0"],
    ["a filter with nothing in order", "$count(steps[output.gone > 3]) > 0"],
    ["a filter that meets a list", "$count(steps[output.list = 1]) > 0"],
  ])("leaves %s to JSONata", (_, expression) => {
    expect(answer(expression, outputs)).toBeNull();
  });

  it.each([
    "steps[0].output.ok",
    "steps.output.ok",
    "steps[-1]",
    "$count(steps[-1]) = 1",
    "$count(steps[role = 'a'][output.ok]) = 1",
    "$count(steps[role = 'a'].output) = 1",
    "$count(steps[steps[-1].role = 'a']) = 1",
    "$count(steps[$count(steps) = 1]) = 1",
    "$count(steps[$$.start.prompt = 'x']) = 1",
    "$count(steps, 1) = 1",
    "$count(start.prompt) = 1",
    "$exists(steps)",
    "steps[role = 'a']",
    "$sum(steps) = 1",
    "steps[-1].output.ok = true = true",
    "steps[-1].output.n - 1",
    "steps[-1].output.`ok`",
    "steps[-1].output.a\u00a0= 1",
    "steps[-1].output.and",
    "$$.steps[-1].output.ok",
    "'it\\'s'",
    "1e3 = 1000",
    "/* all */ true",
    "(true; false)",
    "true ? true : false",
    `${"(".repeat(30)}true${")".repeat(30)}`,
    "",
  ])("does not read %j", (expression) => {
    expect(parseSimple(expression)).toBeNull();
  });

  it("says how far back it looks", () => {
    const windows = [
      "true",
      "start.prompt = 'x'",
      "steps[-1].role = 'a' or $not($exists(steps[-7].output.x))",
    ];
    const windowOf = (text: string) => windowOfSimple(parseSimple(text) ?? { kind: "literal", value: 0 });
    expect(windows.map(windowOf)).toEqual([0, 0, 7]);
    expect(windowOf("$count(steps) > 1")).toBeNull();
    expect(windowOf("steps[-1].role = 'a' or $not($exists(steps[role = 'b']))")).toBeNull();
  });
});

const name = fc.constantFrom("ok", "n", "kind", "deep", "on", "list", "gone", "toString", "a1", "__proto__");
const path = fc
  .tuple(
    fc.constantFrom("steps[-1].output", "steps[-2].output", "steps[ -3 ] . output", "start"),
    fc.array(name, { maxLength: 3 }),
  )
  .map(([root, names]) => [root, ...names].join("."));
const literal = fc.oneof(
  fc.constantFrom("true", "false", "null", "0", "-0", "1", "-1", "2.50", "'bug'", '"1"', "''"),
  fc.integer({ min: -20, max: 20 }).map((quarters) => String(quarters / 4)),
);
const operator = fc.constantFrom("=", "!=", "<", "<=", ">", ">=", " and ", " or ", "=", "!=");
const test = fc.tuple(path, operator, literal).map((parts) => parts.join(""));
/** Inside of a filter. */
const member = fc
  .tuple(
    fc.constantFrom("output", "output", "output", "role", "agent", "start", "steps"),
    fc.array(name, { maxLength: 2 }),
  )
  .map(([root, names]) => [root, ...names].join("."));
const filter = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(member, operator, literal).map((parts) => parts.join("")),
    member,
    literal,
    fc.tuple(tie("any"), operator, tie("any")).map((parts) => parts.join("")),
    tie("any").map((inner) => `$not(${inner})`),
    tie("any").map((inner) => `$exists(${inner})`),
  ),
})).any;
const counted = fc.oneof(
  fc.constant("$count(steps)"),
  fc.tuple(fc.constantFrom("$count", "$exists"), filter).map(([asks, part]) => `${asks}(steps[${part}])`),
);
const anything = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    path,
    literal,
    counted,
    fc.tuple(tie("any"), operator, tie("any")).map(([left, sign, right]) => `${left}${sign}${right}`),
    tie("any").map((inner) => `(${inner})`),
    tie("any").map((inner) => `$not(${inner})`),
    tie("any").map((inner) => `$exists(${inner})`),
  ),
})).any;
const expression = fc.oneof(
  anything,
  test,
  fc.tuple(counted, operator, literal).map((parts) => parts.join("")),
  fc.tuple(test, fc.constantFrom(" and ", " or "), test).map((parts) => parts.join("")),
);
const value = fc.letrec<{ value: Output }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(true, false, null, 0, 1, 2.5, -1, "bug", "", "1"),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(name, tie("value"), { maxKeys: 5 }),
  ),
})).value;

describe("simple conditions beside JSONata", () => {
  it("have the same value whenever they have one", async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(
        expression,
        fc.array(fc.dictionary(name, value, { maxKeys: 6 }), { maxLength: 4 }),
        async (text, outputs) => {
          const mine = answer(text, outputs);
          if (mine === null) return;
          answered += 1;
          const theirs = await observeByJsonata(text, contextOf(outputs));
          expect(theirs).toMatchObject({ ok: true, value: { kind: "value", json: String(mine) } });
        },
      ),
      { numRuns: 3000 },
    );
    expect(answered).toBeGreaterThan(200);
  });
});
