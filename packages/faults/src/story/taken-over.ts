import { copyWorld } from "../world/index.js";
import { killOf, scene, stepOf } from "./commands.js";
import type { Command, Teller } from "./types.js";

/** Commands that find what somebody else's death has left. */
export async function takenOver(teller: Teller, thread: string): Promise<void> {
  await adopted(teller, thread);
  await abandoned(teller, thread);
  await halfKilled(teller);
}

/** uwf died after it had started the agent, which went on to its result. */
async function adopted({ tell, strike, copyOf, callOf }: Teller, thread: string): Promise<void> {
  const { n } = callOf("thread step 2", ({ name }) => name === "spawn");
  const world = copyOf("thread step 2");
  await strike(world, stepOf(thread), { role: "uwf", n, act: "kill-after" });
  await tell(world, scene("a step that adopts", stepOf(thread), [thread]));
}

/** Both died before there was a result. */
async function abandoned({ tell, strike, copyOf }: Teller, thread: string): Promise<void> {
  const world = copyOf("thread step 1");
  await strike(world, stepOf(thread), { role: "agent", n: 5, act: "kill-both" });
  const other = copyWorld(world, `${world.folder}-2`, "node");
  await tell(world, { ...scene("a step after an abandoned run", stepOf(thread), [thread]), roles: ["uwf"] });
  const kill = killOf(thread);
  await tell(other, { ...scene("kill of an abandoned run", kill, [thread]), again: [kill] });
}

/** A kill died after its decision. */
async function halfKilled({ tell, strike, copyOf, callOf, stages }: Teller): Promise<void> {
  const { n } = callOf("thread kill", ({ name, to }) => name === "link" && /\/ending$/.test(to ?? ""));
  const threads = stages.find(({ name }) => name === "thread kill")?.threads ?? [];
  const killed = threads.at(-1) ?? "";
  const world = copyOf("thread kill");
  await strike(world, killOf(killed), { role: "uwf", n, act: "kill-after" });
  const late: Command = { ...stepOf(killed), codes: [8] };
  await tell(world, { ...scene("a step that finds an ending", late, threads), again: [late] });
}
