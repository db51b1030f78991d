import { startFakeLlm } from "./fake-llm.js";
import { judgeServer, stepToEnd } from "./journey.js";
import { movesOf } from "./script.js";
import type { Tally } from "./tally.js";
import { judgeTrace } from "./trace.js";
import type { Subject } from "./types.js";
import { makeWorld, type World } from "./world.js";

/**
 * Runs solve-issue to its end by one real agent against a server of our own, and checks what is left of it. Gives what
 * the steps have said on stderr.
 */
export async function runSubject(
  subject: Subject,
  folder: string,
  bin: string,
  tally: Tally,
): Promise<string> {
  const moves = movesOf(subject);
  const llm = await startFakeLlm(moves);
  try {
    const world = makeWorld(subject, folder, bin, llm.baseUrl);
    await judgeCheck(subject, world, tally);
    const ended = await stepToEnd(subject, world, tally);
    if (ended === null) return "";
    judgeServer(llm, moves.length, tally);
    judgeTrace(subject, world.storage, ended.head, tally);
    return ended.told;
  } finally {
    await llm.close();
  }
}

async function judgeCheck({ program, agent }: Subject, world: World, tally: Tally): Promise<void> {
  const { code, stdout } = await world.agent("--check", ...agent.args);
  tally.equal("--check is content with what is installed and configured", code, 0);
  tally.holds("--check tells the version", stdout.includes(program.version), stdout);
}
