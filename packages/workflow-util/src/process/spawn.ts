import { bunSpawn } from "./spawn-bun.js";
import { loadNodeSpawn } from "./spawn-node.js";
import type { SpawnFunction } from "./types.js";

/** The spawn of the runtime that we run on. */
export async function loadSpawn(): Promise<SpawnFunction> {
  return bunSpawn() ?? (await loadNodeSpawn());
}
