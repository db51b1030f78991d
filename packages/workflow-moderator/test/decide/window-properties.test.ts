import type { JsonValue } from "@uncaged/json-cas";
import fc from "fast-check";
import { expect, it } from "vitest";
import { explain, stepsNeeded } from "../../src/index.js";
import { history, stored, to } from "../support/index.js";

// Random expressions over a history: most of them look at its end, many in ways that only seem to. They are built from the
// grammar, so that nearly all of them parse.

/** Ways to look at more than the last steps, or to seem to. */
const TRAPS = [
  "$$.steps[0].role",
  "$.steps[-1].role",
  "$count(steps)",
  "steps.role[-1]",
  "steps[role = 'a'][-1].output.n",
  "steps[output.ok].role",
  "(steps)[-1].role",
  "steps[0].output.n",
  "steps[-1].output.items[$$.steps[0].output.ok]",
  "steps[$count(steps) - 1].role",
  "steps.output.n",
  "$sum(steps.output.n)",
  "($s := steps; $s[-1].role)",
  "($s := steps[-1]; $s.output.n)",
  "$type($)",
] as const;

const FILTERS = [
  ...["[0]", "[-1]", "[n > 1]", "[ok]", "[steps[-3].role = 'a']", "[steps[0].role = 'a']"],
  ...["[$$.steps[0].role = 'a']", "[output.n > 1]", "[role = 'b']", "", "", "", ""],
] as const;

const FIELDS = ["ok", "n", "text", "items", "deep", "missing", "steps", "start", "role"] as const;
const OPERATORS = ["=", "!=", "<", ">", ">=", "and", "or", "in", "+", "-", "*"] as const;
const CALLED = [
  "$exists",
  "$not",
  "$boolean",
  "$count",
  "$type",
  "$number",
  "$sum",
  "$max",
  "$uppercase",
] as const;

/** `steps[-2].output.items[n > 1].name` */
const fromTheEnd = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.constantFrom(...FILTERS),
    fc.constantFrom("role", "output", "output", "output", "detail", "agent", "steps"),
    fc.array(fc.constantFrom(...FIELDS), { maxLength: 3 }),
    fc.constantFrom(...FILTERS),
  )
  .map(
    ([back, one, field, names, other]) => `${[`steps[-${back}]${one}`, field, ...names].join(".")}${other}`,
  );

const expression = fc.letrec<{ inner: string }>((tie) => {
  const inner = tie("inner");
  return {
    inner: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(
        { weight: 4, arbitrary: fromTheEnd },
        { weight: 2, arbitrary: fc.constantFrom("true", "false", "null", "1", "2.5", "'a'", "'b'", "-1") },
        { weight: 1, arbitrary: fc.constantFrom(...TRAPS) },
        {
          weight: 1,
          arbitrary: fc.constantFrom("start.prompt", "start.workflow", "start", "nothing.at.all"),
        },
      ),
      fc
        .tuple(inner, fc.constantFrom(...OPERATORS), inner)
        .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
      fc.tuple(fc.constantFrom(...CALLED), inner).map(([called, argument]) => `${called}(${argument})`),
      fc.tuple(inner, inner).map(([left, right]) => `(${left}; ${right})`),
      fc.tuple(inner, inner, inner).map(([condition, yes, no]) => `((${condition}) ? (${yes}) : (${no}))`),
    ),
  };
}).inner;

const output = fc.record(
  {
    ok: fc.boolean(),
    n: fc.nat({ max: 3 }),
    text: fc.constantFrom("a", "abba", "", "x\ny"),
    items: fc.array(fc.record({ n: fc.nat({ max: 3 }), name: fc.constant("a"), ok: fc.boolean() }), {
      maxLength: 3,
    }),
    deep: fc.constantFrom<JsonValue>(null, { n: 1, ok: true }, [[1], [2, [3]]], [], {}),
    steps: fc.constant([{ role: "a", output: { n: 1 } }]),
    role: fc.constant("b"),
  },
  { requiredKeys: [] },
);

const steps = fc.array(fc.tuple(fc.constantFrom("a", "b"), output), { minLength: 1, maxLength: 16 });

type Seen = { windowed: number; wrong: string[] };

/** Compares decisions over the whole history with those over the last steps that `needed` names. */
async function compare(needed: typeof stepsNeeded, numRuns: number): Promise<Seen> {
  const seen: Seen = { windowed: 0, wrong: [] };
  const judge = async (text: string, made: readonly (readonly [string, JsonValue])[]): Promise<void> => {
    const graph = to(["a", "random"], ["b", null]);
    const workflow = stored(["a", "b"], { random: text }, { $START: graph, a: graph, b: graph });
    const whole = history(...(made as never[]));
    const window = await needed(workflow, whole.steps.at(-1)?.role ?? "");
    if (window === null || window >= whole.steps.length) return;
    seen.windowed += 1;
    const part = { ...whole, steps: whole.steps.slice(-window) };
    const [all, some] = [await explain(workflow, whole), await explain(workflow, part)];
    if (JSON.stringify(all) !== JSON.stringify(some))
      seen.wrong.push(`${text}, last ${window} of ${JSON.stringify(made)}`);
  };
  await fc.assert(fc.asyncProperty(expression, steps, judge), { numRuns });
  return seen;
}

it("a decision over the last steps that are needed is the one over the whole history", async () => {
  const { windowed, wrong } = await compare(stepsNeeded, 500);
  expect(wrong).toEqual([]);
  expect(windowed).toBeGreaterThan(100);
});

it("a window that is too small would be seen", async () => {
  expect((await compare(async () => 1, 100)).wrong).not.toEqual([]);
});
