import type { Standings } from "@uncaged/workflow-engine";
import { type Held, messageOf, type SeenState, type ThreadId } from "@uncaged/workflow-protocol";
import { type ListedThread, openHistory, type Storage } from "@uncaged/workflow-store";

/** What a person wants to know of each of many threads. */
export type ThreadFacts = {
  readonly thread: ThreadId;
  /** The workflow's name; `null` if it cannot be read. */
  readonly workflow: string | null;
  readonly state: SeenState;
  /** The role that runs or comes next, or how the thread ends; `null` if it has ended, or no decision leads on. */
  readonly next: string | null;
  /** What comes next was left undecided: the list would take too long. */
  readonly isUndecided: boolean;
  /** `null` if they cannot be read; counting stops beyond `MOST_STEPS`. */
  readonly steps: number | null;
  readonly held: Held | null;
  /** The task; of a damaged thread, what is wrong. */
  readonly task: string;
};

/** Each costs a read, and a thread may have thousands. */
export const MOST_STEPS = 100;

/** Looks at one thread after the other; what is the same for all is read once. */
export function factsReader(
  storage: Storage,
  standings: Standings,
): (state: ListedThread) => Promise<ThreadFacts> {
  return async (listed) => {
    const { state, role, next, damage, isUndecided } = await standings.of(listed);
    const { thread } = listed;
    const own = { thread, held: listed.kind === "active" ? listed.held : null };
    const chain = openHistory(storage.cas, listed.head);
    const broken = damage ?? (chain.ok ? null : chain.error);
    if (!chain.ok || broken !== null)
      return { ...own, ...DAMAGED, task: broken === null ? "" : messageOf(broken) };
    const { workflow, start, last } = chain.value;
    const steps = last(MOST_STEPS + 1);
    return {
      ...own,
      workflow: workflow.payload.name,
      state,
      next: role ?? next,
      isUndecided,
      steps: steps.ok ? steps.value.length : null,
      task: start.payload.prompt,
    };
  };
}

const DAMAGED = { workflow: null, state: "damaged", next: null, isUndecided: false, steps: null } as const;
