import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLedger } from "../invariants/index.js";
import type { World } from "../world/index.js";
import { killOf, scene, stepOf } from "./commands.js";
import type { Teller } from "./types.js";

/** Long enough for a kill to meet it, short enough to wait for when the kill died before it could end it. */
const DELAY_MS = 700;

const POLL_MS = 5;
const PATIENCE_MS = 30_000;

/** A thread is killed while its agent works. */
export async function killedAtWork({ tell, copyOf }: Teller, thread: string): Promise<void> {
  const kill = killOf(thread);
  const meanwhile = (world: World): Promise<void> => startSlowStep(world, thread);
  const world = copyOf("thread step 1");
  await tell(world, { ...scene("kill of a thread at work", kill, [thread]), again: [kill], meanwhile });
}

async function startSlowStep(world: World, thread: string): Promise<void> {
  const scenario = join(world.folder, "slow.json");
  const entry = { reply: "---\ntext: slow\n---\nSlowly.", delayMs: DELAY_MS };
  writeFileSync(scenario, JSON.stringify({ roles: { maker: [entry] } }));
  const before = readLedger(world.ledger).length;
  world.start(stepOf(thread).line(world), { env: { UWF_MOCK_SCENARIO: scenario } });
  const deadline = Date.now() + PATIENCE_MS;
  while (readLedger(world.ledger).length === before) {
    if (Date.now() > deadline) throw new Error("the agent of the step that is to be killed does not start");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
