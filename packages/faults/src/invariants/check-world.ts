import { readFileSync } from "node:fs";
import { verifyStore } from "@uncaged/json-cas-fs";
import { messageOf } from "@uncaged/workflow-protocol";
import {
  type ListedThread,
  linearise,
  listThreads,
  openStorage,
  type Storage,
} from "@uncaged/workflow-store";
import type { World } from "../world/index.js";
import { type AgentStart, readLedger } from "./ledger.js";
import { type LoggedRun, loggedRuns } from "./log-lines.js";

/** What is known from outside about a world at rest. */
export type Expected = {
  /** Every thread that a command said it had started or forked. */
  readonly threads: readonly string[];
};

/** A promise of the store and what contradicts it. */
export type Breach = { readonly promise: string; readonly evidence: string };

/**
 * Looks at a storage root in which nothing runs, with the libraries and with what the agents themselves wrote down.
 * Gives every broken promise: nodes, chains, threads in their two places, and how often agents ran.
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
  // What stands after the last newline is a torn write, which readers skip.
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

/** The chain can be read, and every step that this thread itself made comes from an agent that was started for it. */
function brokenChain(
  storage: Storage,
  state: ListedThread,
  starts: readonly AgentStart[],
): readonly Breach[] {
  const chain = linearise(storage.cas, state.head);
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

/** Every start is in the log, and of all runs of one thread from one head at most one gave a step. */
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

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
