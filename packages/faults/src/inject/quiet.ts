import { readdirSync, readFileSync } from "node:fs";
import type { World } from "../world/index.js";

const PATIENCE_MS = 30_000;
const POLL_MS = 5;

/** Waits until no process of this world lives, whoever started it. Throws when one stays. */
export async function quiet(world: World): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (living(world).length > 0) {
    if (Date.now() > deadline) throw new Error(`${living(world).join(", ")} still run in ${world.folder}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Every process of a world has its ledger in its environment; one that is dead has no environment. */
function living({ ledger }: World): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`LEDGER=${ledger}\0`)
      );
    } catch {
      return false;
    }
  });
}
