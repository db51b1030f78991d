import { decide } from "@uncaged/workflow-moderator";
import {
  type CasRef,
  type Fault,
  type Held,
  messageOf,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  fullHistory,
  type ListedThread,
  type OpenHistory,
  openHistory,
  readFailedHeads,
  type Storage,
} from "@uncaged/workflow-store";
import { runAt } from "../../holders.js";
import { ENDED_AS, type SeenState } from "../../human/index.js";
import { decideBy, targetName } from "../../step/index.js";

/** What a person wants to know of each of many threads. */
export type ThreadFacts = {
  readonly thread: ThreadId;
  /** The workflow's name; `null` if it cannot be read. */
  readonly workflow: string | null;
  readonly state: SeenState;
  /** The role that runs or comes next, or how the thread ends; `null` if it has ended, or no decision leads on. */
  readonly next: string | null;
  /** `null` if they cannot be read; beyond `MOST_STEPS` nobody counts. */
  readonly steps: number | null;
  readonly held: Held | null;
  /** The task; of a damaged thread, what is wrong. */
  readonly task: string;
};

/** Each costs a read, and a thread may have thousands. */
export const MOST_STEPS = 100;

/** What is seen of a thread without a decision, and the role whose run is under way. */
type Seen = { readonly state: SeenState; readonly role: string | null };

/** Looks at one thread after the other; what is the same for all is read once. */
export function stateReader(storage: Storage): (state: ListedThread) => Seen {
  let failedHeads: ReadonlyMap<ThreadId, string> | null = null;
  const isFailing = ({ thread, head }: Place): boolean => {
    failedHeads ??= orNone(readFailedHeads(storage));
    return failedHeads.get(thread) === head;
  };
  return (state) => {
    if (state.kind === "damaged") return { state: "damaged", role: null };
    if (state.kind === "ended") return { state: ENDED_AS[state.reason], role: null };
    const run = runAt(storage, state);
    if (run.ok && run.value.running !== null) {
      const { role, uwf } = run.value.running;
      return { state: uwf === "dead" ? "abandoned" : "running", role };
    }
    if (run.ok && run.value.leftRun !== null) return { state: "abandoned", role: run.value.leftRun.role };
    if (state.held !== null) return { state: "held", role: state.held.role };
    return { state: state.stuck !== null || isFailing(state) ? "failing" : "active", role: null };
  };
}

/** The same with the decision, for a list. */
export function factsReader(storage: Storage): (state: ListedThread) => Promise<ThreadFacts> {
  const seenOf = stateReader(storage);
  return async (state) => {
    const { thread } = state;
    const chain = openHistory(storage.cas, state.head);
    const damage = state.kind === "damaged" ? state.damage : chain.ok ? null : chain.error;
    const own = { thread, held: state.kind === "active" ? state.held : null };
    if (!chain.ok || damage !== null)
      return { ...own, ...DAMAGED, task: damage === null ? "" : messageOf(damage) };
    const { workflow, start, last } = chain.value;
    const steps = last(MOST_STEPS + 1);
    const told = {
      ...own,
      workflow: workflow.payload.name,
      steps: steps.ok ? steps.value.length : null,
      task: start.payload.prompt,
    };
    const seen = seenOf(state);
    if (seen.role !== null) return { ...told, state: seen.state, next: seen.role };
    if (state.kind !== "active" || state.stuck !== null) return { ...told, state: seen.state, next: null };
    const next = await nextRole(storage, thread, chain.value);
    return { ...told, state: next === null && seen.state === "active" ? "failing" : seen.state, next };
  };
}

type Place = { readonly thread: ThreadId; readonly head: CasRef };

const DAMAGED = { workflow: null, state: "damaged", next: null, steps: null } as const;

/** The log is not part of the state: a person who may not read it sees no failing runs. */
function orNone(heads: Result<ReadonlyMap<ThreadId, string>, Fault>): ReadonlyMap<ThreadId, string> {
  return heads.ok ? heads.value : new Map();
}

/** The role that comes next, or how the thread ends; `null`: no decision leads on. */
export async function nextRole(
  storage: Storage,
  thread: ThreadId,
  chain: OpenHistory,
): Promise<string | null> {
  const history = fullHistory(storage, thread, chain, "read");
  const decision = await decideBy({ storage, chain, history }, (seen) =>
    decide(chain.workflow.payload, seen),
  );
  return decision.ok ? targetName(decision.value) : null;
}
