import { type ListedThread, linearise, listThreads, openStorage } from "@uncaged/workflow-store";
import type { World } from "../world/index.js";
import type { Breach } from "./check-world.js";
import { type AgentStart, readLedger } from "./ledger.js";
import { type LoggedRun, loggedRuns } from "./log-lines.js";

/**
 * Counts, thread by thread: agent starts = steps + runs that failed, were abandoned, or came too late for a killed
 * thread; and the steps that a chain has beyond what it was forked from are exactly the logged ones, in one piece.
 * `origins`: thread to the head it was forked from, `null` for one that was started; who is not there is not known.
 * For a world at rest.
 */
export async function brokenSteps(
  world: World,
  origins: ReadonlyMap<string, string | null>,
): Promise<readonly Breach[]> {
  const storage = openStorage(world.root, { now: Date.now });
  const listed = await listThreads(storage, { all: true });
  if (!listed.ok) return [];
  const starts = groupByThread(readLedger(world.ledger));
  const runs = groupByThread(distinct(loggedRuns(world.root)));
  return listed.value.flatMap((state) => {
    const chain = linearise(storage.cas, state.head);
    if (!chain.ok) return [];
    const thread = {
      state,
      steps: chain.value.steps.map(({ hash }): string => hash),
      origin: origins.get(state.thread),
      starts: starts.get(state.thread) ?? [],
      runs: runs.get(state.thread) ?? [],
    };
    return [...brokenCount(thread), ...brokenOwnership(thread)];
  });
}

type Counted = {
  readonly state: ListedThread;
  readonly steps: readonly string[];
  readonly origin: string | null | undefined;
  readonly starts: readonly AgentStart[];
  readonly runs: readonly LoggedRun[];
};

/** A run that its uwf told of and that was then taken over after its death has two lines and is one run. */
function distinct(runs: readonly LoggedRun[]): readonly LoggedRun[] {
  return [...new Map(runs.map((run) => [run.run, run])).values()];
}

function brokenCount({ state, steps, starts, runs }: Counted): readonly Breach[] {
  const gave = runs.filter(({ step }) => step !== null);
  const recorded = gave.filter(({ step }) => step !== null && steps.includes(step));
  const late = gave.length - recorded.length;
  const failed = runs.length - gave.length;
  const figures = `${starts.length} starts, ${recorded.length} steps, ${failed} failed, ${late} too late`;
  const found: Breach[] = [];
  // A run that was barred before its agent left its line has a line in the log and no start.
  const unaccounted = starts.filter(({ run }) => !runs.some((logged) => logged.run === run));
  if (unaccounted.length > 0) {
    found.push({ promise: "agent runs = steps + failed runs", evidence: `${state.thread}: ${figures}` });
  }
  const isKilled = state.kind === "ended" && state.reason === "killed";
  if (late > 0 && !isKilled) {
    const evidence = `${state.thread}: ${gave.map(({ step }) => step).join(", ")} of ${steps.join(", ")}`;
    found.push({ promise: "a step that was told is recorded", evidence });
  }
  if (new Set(recorded.map(({ step }) => step)).size < recorded.length) {
    const evidence = `${state.thread}: ${recorded.map(({ run, step }) => `${run} → ${step}`).join(", ")}`;
    found.push({ promise: "a step is run once", evidence });
  }
  return found;
}

/** The thread's own steps are the end of its chain; what stands before them is what it was forked from. */
function brokenOwnership({ state, steps, origin, runs }: Counted): readonly Breach[] {
  const own = new Set(runs.flatMap(({ step }) => (step === null ? [] : [step])));
  const first = steps.findIndex((step) => own.has(step));
  const beginning = first === -1 ? steps.length : first;
  const foreign = steps.slice(beginning).filter((step) => !own.has(step));
  const found = foreign.map((step) => ({
    promise: "every step comes from a run of its thread",
    evidence: `${state.thread}: ${step} has no run in the log`,
  }));
  // A StartNode is not among the steps: all of them are the thread's own then, as where there is no origin.
  const expected = steps.indexOf(origin ?? "") + 1;
  if (origin === undefined || expected === beginning) return found;
  const evidence = `${state.thread}: made from ${origin}, its own steps begin at ${steps[beginning] ?? "none"}`;
  return [...found, { promise: "a fork goes on from where it was forked", evidence }];
}

function groupByThread<Item extends { readonly thread: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.thread);
    if (group === undefined) groups.set(item.thread, [item]);
    else group.push(item);
  }
  return groups;
}
