import { type Decision, decide, openEvaluationSession } from "@uncaged/workflow-moderator";
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

/** For many threads. Where no condition is asked, the decision costs nothing, and is always made. */
export async function withListingDecider<T>(use: (decider: ListingDecider) => Promise<T>): Promise<T> {
  const session = openEvaluationSession();
  let read = 0;
  const isSpent = (): boolean => session.cost() + read > ALLOWANCE;
  const observe: typeof session.observe = async (expression, context) => {
    if (isSpent()) throw new AllowanceSpent();
    return session.observe(expression, context);
  };
  const decider: ListingDecider = async (asked) => {
    const { workflow, newest } = asked.chain;
    const asksConditions = hasConditions(workflow.payload, newest?.payload.role ?? START);
    // Before the history is read.
    if (asksConditions && isSpent()) return null;
    try {
      return await decideAtHead(asked, (seen) => {
        if (asksConditions) read += seen.steps.length * COST_OF_STEP;
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

/** Whether a transition after this role has one. */
function hasConditions({ graph }: WorkflowPayload, key: string): boolean {
  return Object.hasOwn(graph, key) && graph[key]?.some(({ condition }) => condition !== null) === true;
}

/** What a command says of the threads that it did not decide; `null`: there is none. */
export function undecidedWords(count: number): string | null {
  if (count === 0) return null;
  return `the next role of ${counted(count, "thread")} was not decided: the conditions took what one command spends on all of them; \`uwf thread next <thread>\` decides for one`;
}
