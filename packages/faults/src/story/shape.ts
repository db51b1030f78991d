import {
  type ListedThread,
  linearise,
  listThreads,
  openStorage,
  readRegistry,
} from "@uncaged/workflow-store";
import type { World } from "../world/index.js";

/**
 * What a store says, without what differs from one run of the same commands to the next: the registry, and of every
 * thread how many steps it has and whether it was killed. A thread that is not `known` is called new.
 */
export async function shapeOf(world: World, known: readonly string[]): Promise<string> {
  const storage = openStorage(world.root, { now: Date.now });
  const [listed, registry] = [await listThreads(storage, { all: true }), await readRegistry(storage)];
  if (!listed.ok || !registry.ok) return "unreadable";
  const threads = listed.value.map((state) => {
    const name = known.includes(state.thread) ? state.thread : "new";
    return `${name}: ${stepsOf(storage, state)} steps${isKilled(state) ? ", killed" : ""}`;
  });
  const entries = [...new Map(Object.entries(registry.value))].map(([name, hash]) => `${name}: ${hash}`);
  return [...threads, ...entries].sort().join("\n");
}

function isKilled(state: ListedThread): boolean {
  return state.kind === "ended" && state.reason === "killed";
}

function stepsOf(storage: ReturnType<typeof openStorage>, { head }: ListedThread): number | string {
  const chain = linearise(storage.cas, head);
  return chain.ok ? chain.value.steps.length : "unreadable";
}
