import { join } from "node:path";
import { type Role, type Syscall, traced } from "../inject/index.js";
import { copyWorld } from "../world/index.js";
import type { Stage } from "./types.js";

/** What one process of a stage calls on bun. */
export type StageOnBun = { readonly stage: Stage; readonly role: Role; readonly calls: readonly Syscall[] };

/** Runs every stage once more for each of its processes, on bun and below strace. Throws where strace sees nothing. */
export async function callsOnBun(stages: readonly Stage[], folder: string): Promise<readonly StageOnBun[]> {
  const found: StageOnBun[] = [];
  for (const [index, stage] of stages.entries()) {
    for (const role of stage.roles.filter((each) => stage.calls.some((call) => call.role === each))) {
      const world = copyWorld(stage.before, join(folder, `${role}-${index}`), "node");
      await stage.meanwhile?.(world);
      const { calls, ran } = await traced(world, stage.line(world), { role, injection: null, both: false });
      if (calls.length === 0) throw new Error(`strace sees nothing of ${stage.name}: ${ran.stderr}`);
      found.push({ stage, role, calls });
    }
  }
  return found;
}
