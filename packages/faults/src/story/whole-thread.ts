import { STEPS, type World } from "../world/index.js";
import { docOf, killOf, put, scene, start, stepOf } from "./commands.js";
import type { Command, Teller } from "./types.js";

/** From the definition of a workflow to the natural end of a thread. Gives the thread and the heads of its steps. */
export async function wholeThread({ tell }: Teller, world: World) {
  await tell(world, { ...scene("workflow put", put, []), again: [put, start] });
  const { thread } = docOf(await tell(world, { ...scene("thread start", start, []), again: [start] }));
  const heads: string[] = [];
  for (let step = 1; step <= STEPS; step += 1) {
    heads.push(docOf(await tell(world, scene(`thread step ${step}`, stepOf(thread), [thread]))).head);
  }
  return { thread, heads };
}

export async function forkAndKill({ tell }: Teller, world: World, thread: string, head: string) {
  const fork: Command = { line: () => ["thread", "fork", head], codes: [0] };
  const forked = docOf(await tell(world, { ...scene("thread fork", fork, [thread]), again: [fork] }));
  const kill = killOf(forked.thread);
  await tell(world, { ...scene("thread kill", kill, [thread, forked.thread]), again: [kill] });
}
