import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Breach } from "../invariants/index.js";
import { RUNTIMES, STEPS, type World } from "../world/index.js";
import { stepOf } from "./acts.js";
import { perform } from "./perform.js";
import type { Book } from "./types.js";

/** Steps that a thread can need to its end: all of them, and one for each thing that was left to be taken over. */
const MOST_STEPS = STEPS + 3;

/** So many threads are brought to their end at once. */
const LANES = 4;

export type Rest = { readonly steps: number; readonly breaches: readonly Breach[] };

/** Steps every thread to its end, which also takes over what killed processes left. */
export async function bringToRest(world: World, book: Book): Promise<Rest> {
  const listed = await world.json<readonly { readonly thread: string }[]>(["thread", "list"]);
  const left = new Set([...listed.map(({ thread }) => thread), ...withRuns(world)]);
  const waiting = [...left];
  const rest = { steps: 0, breaches: [] as Breach[] };
  const lane = async (): Promise<void> => {
    for (let thread = waiting.pop(); thread !== undefined; thread = waiting.pop()) {
      const ended = await toItsEnd(world, book, thread);
      rest.steps += ended.steps;
      rest.breaches.push(...ended.breaches);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { steps: rest.steps, breaches: [...rest.breaches, ...leftOvers(world)] };
}

async function toItsEnd(world: World, book: Book, thread: string): Promise<Rest> {
  const act = { ...stepOf(world, book, thread, ["--wait", "60"]), allowed: [0, 8] };
  const breaches: Breach[] = [];
  for (let count = 1; count <= MOST_STEPS; count += 1) {
    const performed = await perform(world, act, { runtime: RUNTIMES[0], killAfter: null });
    breaches.push(...performed.breaches);
    if (performed.code !== 0) return { steps: count, breaches };
  }
  const evidence = `${thread} after ${MOST_STEPS} steps`;
  return { steps: MOST_STEPS, breaches: [...breaches, { promise: "a thread reaches its end", evidence }] };
}

/** Threads that have a folder of runs, of which an unfinished archive is one. */
function withRuns({ root }: World): readonly string[] {
  const runs = join(root, "runs");
  return namesIn(runs).filter((thread) => namesIn(join(runs, thread)).some((name) => !isKept(name)));
}

/** When every thread has ended there is nothing that anybody will ever look for again; a start that died may have left its folder. */
function leftOvers({ root }: World): readonly Breach[] {
  return namesIn(join(root, "runs"))
    .flatMap((thread) =>
      namesIn(join(root, "runs", thread))
        .filter((name) => !isKept(name))
        .map((name) => `runs/${thread}/${name}`),
    )
    .map((path) => ({ promise: "an ended thread leaves no run", evidence: path }));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The thread's folder, and what a start that died was writing of it. */
function isKept(name: string): boolean {
  return name.startsWith("cwd.json");
}
