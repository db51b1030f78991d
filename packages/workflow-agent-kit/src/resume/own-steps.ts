import type { StepNode } from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import { nodesBackwards, type OpenThread, type Tip } from "../thread/index.js";

/**
 * How many steps back a session is looked for. A prompt shows about as many in outline: after more of them, a fresh
 * session with the history knows as much. It bounds what a first visit late in a long thread reads.
 */
export const FARTHEST = 256;

/**
 * The newest steps, newest first, that were taken in this thread. What a fork has taken over was there before it: the
 * sessions of those steps belong to the other thread, which goes on in them.
 */
export function* stepsOfThread(open: Tip & Pick<OpenThread, "thread">): Generator<StepNode> {
  const created = timeOfThreadId(open.thread);
  let count = 0;
  for (const step of nodesBackwards(open)) {
    if (count === FARTHEST || step.timestamp < created) return;
    count += 1;
    yield step;
  }
}
