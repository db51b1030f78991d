import { parseHash } from "@uncaged/json-cas";
import { evaluateCondition, loadChecks } from "@uncaged/workflow-moderator";
import type { ModeratorContext } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { corpus } from "../corpus/index.js";
import { mutatedText, nastyText } from "../texts/index.js";
import { batchOf } from "./batch.js";
import { anyExpression, plainExpression } from "./jsonata.js";
import type { Subject } from "./types.js";

const killers = corpus("expressions");

/** Expressions that are evaluated in this process. */
export const plainExpressions: Subject = {
  name: "plain expressions",
  sample: 25,
  batch: 2_000,
  weight: 2,
  open: async ({ slowMs }) => batchOf(plainExpression, slowMs, await evaluator()),
};

/** Expressions of every sort, most of which get a process of their own. */
export const expressions: Subject = {
  name: "expressions",
  sample: 6,
  batch: 100,
  weight: 6,
  open: async ({ slowMs }) => {
    const short = killers.filter((text) => text.length < 200);
    const mutated = fc
      .constantFrom(...short)
      .chain((text) => mutatedText(text, fc.oneof(nastyText, anyExpression)));
    const inputs = fc.oneof(
      { weight: 3, arbitrary: anyExpression },
      { weight: 2, arbitrary: mutated },
      { weight: 2, arbitrary: fc.constantFrom(...killers) },
    );
    return batchOf(inputs, slowMs, await evaluator());
  },
};

async function evaluator(): Promise<(expression: string) => Promise<void>> {
  const { checkExpression } = await loadChecks();
  return async (expression) => {
    for (const { message } of checkExpression(expression)) {
      if (message === "") throw new Error("a problem without words");
    }
    const context = contextOfSteps();
    const before = JSON.stringify(context);
    const result = await evaluateCondition(expression, context);
    if (!result.ok && result.error.trim() === "") throw new Error("it fails without words");
    if (!result.ok && /evaluator broke down|no answer/.test(result.error)) throw new Error(result.error);
    if (JSON.stringify(context) !== before) throw new Error("the history was changed");
  };
}

function contextOfSteps(): ModeratorContext {
  const [workflow, detail] = [parseHash("0123456789ABC"), parseHash("0000000000001")];
  if (workflow === null || detail === null) throw new Error("no hash");
  const steps = Array.from({ length: 12 }, (_, index) => ({
    role: index % 2 === 0 ? "maker" : "checker",
    output: {
      approved: index % 3 === 0,
      text: "word ".repeat(index),
      list: [index, { deep: [[index]] }],
      none: null,
    },
    detail,
    agent: "uwf-mock",
  }));
  return { start: { workflow, prompt: "a prompt" }, steps };
}
