import { type Decision, decide, isSimpleCondition, openEvaluationSession } from "@uncaged/workflow-moderator";
import { type Fault, type Result, START, type WorkflowPayload } from "@uncaged/workflow-protocol";
import type { FullHistory, OpenHistory, Storage } from "@uncaged/workflow-store";
import { counted } from "@uncaged/workflow-util";
import { decideAtHead } from "./step/index.js";

// Some commands decide for every thread that they show. Each evaluation has its own limits, but an imported file may bring
// thousands of threads whose conditions go up to them. So all decisions of one command share an allowance. What they cost
// is counted, not timed: the same threads are decided on every machine.

/** In steps of evaluation, which take about 0.7 µs each. docs/decisions.md compares it with usual conditions. */
const ALLOWANCE = 20_000_000;

/** Reading a step of the history, for conditions that may read all of it. */
const COST_OF_STEP = 10;

/** What `decide` says at a head; `null`: the threads before it have used up the allowance. */
export type ListingDecider = (asked: Asked) => Promise<Result<Decision, Fault> | null>;

type Asked = { readonly storage: Storage; readonly chain: OpenHistory; readonly history: FullHistory };

/** For one thread: nothing but the limits of each evaluation. */
export const decideAlone: ListingDecider = (asked) =>
  decideAtHead(asked, (seen) => decide(asked.chain.workflow.payload, seen));

class AllowanceSpent extends Error {}

/** For many threads. Conditions that need no evaluator cost nothing, and are decided always. */
export async function withListingDecider<T>(use: (decider: ListingDecider) => Promise<T>): Promise<T> {
  const session = openEvaluationSession();
  let read = 0;
  const isSpent = (): boolean => session.cost() + read > ALLOWANCE;
  const observe: typeof session.observe = async (expression, context) => {
    if (isSpent() && !isSimpleCondition(expression)) throw new AllowanceSpent();
    return session.observe(expression, context);
  };
  const decider: ListingDecider = async (asked) => {
    const { workflow, newest } = asked.chain;
    const costly = costlyConditions(workflow.payload, newest?.payload.role ?? START);
    // Before the history is read.
    if (costly.length > 0 && isSpent()) return null;
    // They are parsed to know how much of the history they read.
    read += costly.reduce((sum, { length }) => sum + length, 0);
    try {
      return await decideAtHead(asked, (seen) => {
        if (costly.length > 0) read += seen.steps.length * COST_OF_STEP;
        return decide(workflow.payload, seen, observe);
      });
    } catch (error) {
      if (error instanceof AllowanceSpent) return null;
      throw error;
    }
  };
  try {
    return await use(decider);
  } finally {
    await session.close();
  }
}

/** The expressions after a role that JSONata evaluates. */
function costlyConditions({ graph, conditions }: WorkflowPayload, key: string): readonly string[] {
  const transitions = Object.hasOwn(graph, key) ? (graph[key] ?? []) : [];
  return transitions.flatMap(({ condition }) => {
    const known =
      condition !== null && Object.hasOwn(conditions, condition) ? conditions[condition] : undefined;
    return known === undefined || isSimpleCondition(known.expression) ? [] : [known.expression];
  });
}

/** What a command says of the threads that it did not decide; `null`: there is none. */
export function undecidedWords(count: number): string | null {
  if (count === 0) return null;
  return `the next role of ${counted(count, "thread")} was not decided: the conditions took what one command spends on all of them; \`uwf thread next <thread>\` decides for one`;
}
