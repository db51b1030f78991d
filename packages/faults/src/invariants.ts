import { join } from "node:path";
import { verifyStore } from "@uncaged/json-cas-fs";
import { EVENTS, type EventKind, eventKindIn, messageOf } from "@uncaged/workflow-protocol";
import {
  type ListedThread,
  listThreads,
  openStorage,
  readChain,
  type Storage,
} from "@uncaged/workflow-store";
import { namesIn, textOf, type World } from "./world.js";

/** One start of an agent, as recorded by the agent itself. */
type AgentStart = {
  readonly thread: string;
  readonly role: string;
  readonly head: string;
  readonly run: string;
};

/** All starts; empty if no agent was ever started. A truncated line is ignored. */
export function readLedger(file: string): readonly AgentStart[] {
  return textOf(file)
    .split("\n")
    .flatMap((line) => {
      const [thread, role, head, run] = line.split(" ");
      return thread && role && head && run ? [{ thread, role, head, run }] : [];
    });
}

/** How one run of an agent ended, according to the log. */
type LoggedRun = {
  readonly thread: string;
  readonly run: string;
  readonly head: string | null;
  readonly outcome: EventKind;
  readonly step: string | null;
};

/** All runs in the logs of a storage root; torn lines are ignored. */
function loggedRuns(root: string): readonly LoggedRun[] {
  return namesIn(join(root, "logs"))
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) =>
      textOf(join(root, "logs", name))
        .split("\n")
        .flatMap(runOf),
    );
}

function runOf(line: string): readonly LoggedRun[] {
  try {
    const { thread, ...fields } = JSON.parse(line);
    const kind = eventKindIn(fields);
    // An agent that waits is run again.
    if (kind === null || kind === "waiting" || EVENTS[kind].as !== "outcome") return [];
    const { run, head = null, step = null } = fields;
    return [{ thread, run, head, outcome: kind, step }];
  } catch {
    return [];
  }
}

/** What is known from outside about an idle world. */
type Expected = {
  /** Every thread that a command reported as started or forked. */
  readonly threads: readonly string[];
};

/** A broken promise of the store, with evidence. */
export type Breach = { readonly promise: string; readonly evidence: string };

/**
 * Checks an idle storage root, with the libraries and with the agents' own records. Returns every broken promise about
 * nodes, chains, threads in their two places, and how often agents ran.
 */
export async function checkWorld(world: World, expected: Expected): Promise<readonly Breach[]> {
  const storage = openStorage(world.root, { now: Date.now });
  const listed = await listThreads(storage, { all: true });
  if (!listed.ok) return [{ promise: "the threads can be listed", evidence: messageOf(listed.error) }];
  const starts = readLedger(world.ledger);
  const runs = loggedRuns(world.root);
  return [
    ...brokenNodes(storage),
    ...brokenThreads(listed.value, expected),
    ...doubledHistory(storage),
    ...listed.value.flatMap((state) => brokenChain(storage, state, starts)),
    ...brokenRuns(starts, runs),
  ];
}

function brokenNodes(storage: Storage): readonly Breach[] {
  const found: Breach[] = [];
  verifyStore(storage.paths.cas, ({ hash, message }) => {
    found.push({ promise: "every node is whole", evidence: `${hash}: ${message}` });
  });
  return found;
}

function brokenThreads(states: readonly ListedThread[], { threads }: Expected): readonly Breach[] {
  const listed = new Set<string>(states.map(({ thread }) => thread));
  const lost = threads.filter((thread) => !listed.has(thread));
  return lost.map((thread) => ({ promise: "no thread is lost", evidence: `${thread} is in neither place` }));
}

function doubledHistory({ paths }: Storage): readonly Breach[] {
  const seen = new Set<string>();
  const text = textOf(paths.history);
  // Text after the last newline is a torn write, which readers skip.
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const { thread } = JSON.parse(line);
      const isDouble = seen.has(thread);
      seen.add(thread);
      return isDouble ? [{ promise: "no thread ends twice", evidence: `${thread} in history.jsonl` }] : [];
    });
}

/** The chain can be read, and every step of this thread comes from an agent that was started for it. */
function brokenChain(
  storage: Storage,
  state: ListedThread,
  starts: readonly AgentStart[],
): readonly Breach[] {
  const chain = readChain(storage.cas, state.head);
  if (!chain.ok) {
    return [{ promise: "every chain is intact", evidence: `${state.thread}: ${messageOf(chain.error)}` }];
  }
  const heads = new Set([chain.value.start.hash, ...chain.value.steps.map(({ hash }) => hash)]);
  return starts
    .filter(({ thread, head }) => thread === state.thread && !heads.has(head as never))
    .map(({ head, run }) => ({
      promise: "an agent runs for a head of its thread",
      evidence: `${state.thread}: run ${run} started from ${head}, which is not in its chain`,
    }));
}

/** Every start is in the log, and at most one run of a thread from the same head gave a step. */
function brokenRuns(starts: readonly AgentStart[], runs: readonly LoggedRun[]): readonly Breach[] {
  const logged = new Map(runs.map((run) => [run.run, run]));
  const untold = starts.filter(({ run }) => !logged.has(run));
  const steps = new Map<string, Set<string>>();
  for (const { thread, head, run } of starts) {
    const outcome = logged.get(run)?.outcome;
    if (outcome !== "step" && outcome !== "adopted") continue;
    const key = `${thread} from ${head}`;
    steps.set(key, (steps.get(key) ?? new Set()).add(run));
  }
  return [
    ...untold.map(({ thread, run }) => ({
      promise: "every run leaves a trace in the log",
      evidence: `${thread}: run ${run}`,
    })),
    ...[...steps]
      .filter(([, tokens]) => tokens.size > 1)
      .map(([key, tokens]) => ({
        promise: "a step is run once",
        evidence: `${key} was run by ${[...tokens].join(", ")}`,
      })),
  ];
}

/**
 * Counts, thread by thread: agent starts = steps + runs that failed, were abandoned, or came too late for a killed
 * thread; and the steps that a chain has beyond what it was forked from are exactly the logged ones, in one piece.
 * `origins`: thread to the head it was forked from, `null` for one that was started; missing: unknown.
 * For an idle world.
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
    const chain = readChain(storage.cas, state.head);
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

/** A run that was logged by its uwf and then taken over after a crash has two lines but is one run. */
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
    found.push({ promise: "a step that was logged is recorded", evidence });
  }
  if (new Set(recorded.map(({ step }) => step)).size < recorded.length) {
    const evidence = `${state.thread}: ${recorded.map(({ run, step }) => `${run} → ${step}`).join(", ")}`;
    found.push({ promise: "a step is run once", evidence });
  }
  return found;
}

/** The thread's own steps are the end of its chain; the steps before them are those that it was forked from. */
function brokenOwnership({ state, steps, origin, runs }: Counted): readonly Breach[] {
  const own = new Set(runs.flatMap(({ step }) => (step === null ? [] : [step])));
  const first = steps.findIndex((step) => own.has(step));
  const beginning = first === -1 ? steps.length : first;
  const foreign = steps.slice(beginning).filter((step) => !own.has(step));
  const found = foreign.map((step) => ({
    promise: "every step comes from a run of its thread",
    evidence: `${state.thread}: ${step} has no run in the log`,
  }));
  // A StartNode is not among the steps: then, as without an origin, all of them are the thread's own.
  const expected = steps.indexOf(origin ?? "") + 1;
  if (origin === undefined || expected === beginning) return found;
  const evidence = `${state.thread}: made from ${origin}, its own steps begin at ${steps[beginning] ?? "none"}`;
  return [...found, { promise: "a fork continues from where it was forked", evidence }];
}

function groupByThread<Item extends { readonly thread: string }>(items: readonly Item[]) {
  const groups = new Map<string, readonly Item[]>();
  for (const item of items) groups.set(item.thread, [...(groups.get(item.thread) ?? []), item]);
  return groups;
}
