import { explain, stepsNeeded } from "@uncaged/workflow-moderator";
import type { ModeratorContext, WorkflowPayload } from "@uncaged/workflow-protocol";
import type { Kind, Session } from "../frame.js";
import { isFar, randomExpression } from "./expressions.js";
import { openLab } from "./lab.js";

/** How a decision differs from the one over the whole history; `null` when it does not. */
type Compared = {
  /** Whether the expression has a window smaller than this history. */
  readonly windowed: boolean;
  readonly difference: string | null;
};

type Needed = (workflow: WorkflowPayload, key: string) => Promise<number | null>;

/**
 * Decides over the whole history as its nodes give it, over the last steps that are needed, and over the whole history
 * as the cache gives it. `needed` is the analysis under test.
 */
export async function compare(
  expression: string,
  history: ModeratorContext,
  cached: ModeratorContext = history,
  needed: Needed = stepsNeeded,
): Promise<Compared> {
  const workflow = workflowOf(expression);
  const window = await needed(workflow, history.steps.at(-1)?.role ?? "");
  const windowed = window !== null && window < history.steps.length;
  const seen = windowed ? { ...cached, steps: cached.steps.slice(-window) } : cached;
  if (!windowed && cached === history) return { windowed, difference: null };
  const [all, some] = [await told(workflow, history), await told(workflow, seen)];
  const part = windowed ? `last ${window}` : "all of the cache";
  const difference =
    all === some ? null : `${expression} over ${JSON.stringify(history)}: ${part} give ${some}, all ${all}`;
  return { windowed, difference };
}

async function told(workflow: WorkflowPayload, history: ModeratorContext): Promise<string> {
  return JSON.stringify(await explain(workflow, history));
}

function workflowOf(expression: string): WorkflowPayload {
  const transitions = [
    { role: "a", condition: "random" },
    { role: "b", condition: null },
  ];
  const conditions = { random: { description: "", expression } };
  const graph = { $START: transitions, a: transitions, b: transitions };
  const roles = { a: {}, b: {} };
  return { name: "random", description: "", roles, conditions, graph } as unknown as WorkflowPayload;
}

/**
 * The head window is an analysis that could be wrong in silence, and so is a cache that somebody spoils: both are
 * compared with what they spare.
 */
export const window: Kind = {
  name: "window",
  title:
    "random conditions over the last steps they need, over a cache that is damaged, deleted, swapped and outdated, and over the whole history",
  sampleRounds: 1000,
  weight: 3,
  goals: { "expressions and histories": 100_000 },
  run,
};

/** A history begins anew after so many rounds: nodes stay in memory. */
const ROUNDS_OF_A_LAB = 500;

async function run({ random, more, count, broken, folder }: Session): Promise<void> {
  let lab = await openLab(folder, random);
  for (let round = 0; more(round); round += 1) {
    if (round % ROUNDS_OF_A_LAB === 0) lab = await openLab(folder, random);
    const [expression, { plain, cached, known, harm }] = [randomExpression(random), await lab.next()];
    count("expressions and histories");
    count(known === 0 ? "read without a cache" : "read from a cache");
    if (harm !== "nothing") count("caches spoilt");
    const [nodes, cache] = [JSON.stringify(plain), JSON.stringify(cached)];
    if (nodes !== cache)
      broken("the history of the cache is that of the nodes", `${harm}: ${cache} instead of ${nodes}`);
    // The same text is the same decision: what takes long to evaluate is rarely asked again.
    const again = !isFar(expression) || random.next() < 0.02;
    const { windowed, difference } = await compare(expression, plain, again ? cached : plain);
    if (windowed) count("decided over a window");
    if (difference !== null)
      broken("a decision over a part or the cache is the one over the history", difference);
  }
}
