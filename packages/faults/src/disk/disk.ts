import { rmSync } from "node:fs";
import { join } from "node:path";
import { survive, type Tell } from "../aftermath/index.js";
import type { Kind, Session } from "../frame/index.js";
import { type Act, canTrace, shuffled, spread } from "../inject/index.js";
import { checkWorld } from "../invariants/index.js";
import { callsOnBun, type Tale, tellStory } from "../story/index.js";
import { copyWorld, RUNTIMES, type World } from "../world/index.js";
import { ACTS, type Refusal, type Rounds, refusalsOf, syscallRefusalsOf } from "./faults.js";
import { judge, type Verdict } from "./judge.js";

export type DiskOptions = {
  readonly tell: Tale;
  /** A bug of plants.mjs that has to be found. */
  readonly plant: string | null;
  readonly choose: (
    session: Session,
    rounds: { readonly node: Rounds; readonly bun: Rounds },
  ) => readonly Refusal[];
};

/** After one fault of so many the whole story goes on to its end. */
const TO_THE_END = 8;

/** How many of each thing that can be wrong the sample has. */
const SAMPLE = 4;

/** Every call that writes is refused in turn. */
export const disk = diskWith({
  tell: tellStory,
  plant: null,
  choose: ({ level, random }, { node, bun }) => {
    if (level === "sample") return sampleOf(node.flat());
    return ACTS.flatMap((_, round) => shuffled(random, [...(node[round] ?? []), ...(bun[round] ?? [])]));
  },
});

function sampleOf(refusals: readonly Refusal[]): readonly Refusal[] {
  return ACTS.flatMap((act) =>
    spread(
      refusals.filter((refusal) => refusal.act === act),
      SAMPLE,
    ),
  );
}

export function diskWith(options: DiskOptions): Kind {
  return {
    name: "disk",
    title: "ENOSPC, EIO, EACCES, EMFILE or a short write at every call of the same story that writes",
    sampleRounds: ACTS.length * SAMPLE,
    weight: 8,
    goals: { "of them an error": 500 },
    run: (session) => run(session, options),
  };
}

async function run(session: Session, { tell, plant, choose }: DiskOptions): Promise<void> {
  const stages = await tell(join(session.folder, "story"), plant);
  const log = ({ folder }: World): string => join(folder, "calls");
  const hasBun = session.level === "full" && canTrace();
  const rounds = {
    node: refusalsOf(stages, { log, plant }),
    bun: hasBun ? syscallRefusalsOf(await callsOnBun(stages, join(session.folder, "traced"))) : [],
  };
  session.count("calls that write on Node.js", rounds.node[0]?.length ?? 0);
  session.count("calls that write on bun", rounds.bun[0]?.length ?? 0);
  session.count("faults of these calls", [...rounds.node, ...rounds.bun].flat().length);
  for (const [index, refusal] of choose(session, rounds).entries()) {
    if (!session.more(index)) return;
    await refuse(session, refusal, index);
  }
}

async function refuse(session: Session, refusal: Refusal, index: number): Promise<void> {
  const world = copyWorld(refusal.stage.before, join(session.folder, "refused"), "node");
  const tell: Tell = (promise, evidence) =>
    session.broken(promise, `seed ${session.seed}, ${refusal.name}: ${evidence}`);
  const { ran, reached } = await refusal.attempt(world);
  if (!reached) tell("every call that was counted can be refused", `it did not come: ${ran.stderr}`);
  const verdict = await judge(world, refusal, ran, tell);
  session.count(figureOf(refusal.act));
  session.count(verdict === "done" ? "of them done all the same" : "of them an error");
  await goOn(world, refusal, verdict, withoutLog(refusal, tell), index);
  rmSync(world.folder, { recursive: true, force: true });
}

export function figureOf(act: Act): string {
  return act === "short" ? "writes cut short" : `calls refused with ${act}`;
}

/** The same command again, without the fault; now and then the whole story to its end. */
async function goOn(
  world: World,
  { stage }: Refusal,
  verdict: Verdict,
  tell: Tell,
  index: number,
): Promise<void> {
  if (verdict === "refused") await repeat(world, stage, tell);
  if (index % TO_THE_END === 0)
    return survive(world, { stage, printed: [], told: "", thorough: false }, tell);
  const { threads } = stage;
  for (const { promise, evidence } of await checkWorld(world, { threads })) tell(promise, evidence);
}

async function repeat(world: World, { line, codes }: Refusal["stage"], tell: Tell): Promise<void> {
  const ran = await world.uwf(line(world), { runtime: RUNTIMES[0] });
  // A command whose last call was refused has done its work: a thread that has ended says so.
  if (codes.includes(ran.code ?? -1) || ran.code === 8) return;
  tell("the same command succeeds when the disk does", `exit ${ran.code ?? ran.signal}: ${ran.stderr}`);
}

/** A log that cannot be written fails nothing; its line is lost. */
function withoutLog({ call, act }: Refusal, tell: Tell): Tell {
  const isLog = /\/logs(\/[^/]*\.jsonl)?$/.test(call.path);
  if (!isLog || act === "short") return tell;
  return (promise, evidence) => {
    if (promise !== "every run leaves a trace in the log") tell(promise, evidence);
  };
}
