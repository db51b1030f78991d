import fc from "fast-check";
import { expect, it } from "vitest";
import { corpus, mutatedText, nastyText } from "../../../json-cas/test/support/nasty.js";
import { evaluateCondition, loadChecks } from "../../src/index.js";
import { frozen, history } from "../support/index.js";
import { anyExpression, plainExpression } from "../support/jsonata.js";

const STEPS = Array.from({ length: 12 }, (_, index) => [
  index % 2 === 0 ? "maker" : "checker",
  {
    approved: index % 3 === 0,
    text: "word ".repeat(index),
    list: [index, { deep: [[index]] }],
    none: null,
  },
]) as [string, Record<string, unknown>][];

async function judge(expression: string): Promise<void> {
  const { checkExpression } = await loadChecks();
  for (const { message } of checkExpression(expression)) expect(message).not.toBe("");
  const result = await evaluateCondition(expression, frozen(history(...(STEPS as never[]))));
  if (result.ok) return;
  expect(result.error.trim()).not.toBe("");
  expect(result.error).not.toMatch(/evaluator broke down|no answer/);
}

it("an expression that is evaluated in this process has a value or fails with a sentence", async () => {
  await fc.assert(fc.asyncProperty(plainExpression, judge), { numRuns: 25 });
});

it("so has one of the whole language, most of which gets a process of its own", async () => {
  const killers = corpus("expressions");
  const short = killers.filter((text) => text.length < 200);
  const mutated = fc
    .constantFrom(...short)
    .chain((text) => mutatedText(text, fc.oneof(nastyText, anyExpression)));
  const inputs = fc.oneof(
    { weight: 3, arbitrary: anyExpression },
    { weight: 2, arbitrary: mutated },
    { weight: 2, arbitrary: fc.constantFrom(...killers) },
  );
  await fc.assert(fc.asyncProperty(inputs, judge), { numRuns: 6 });
});
