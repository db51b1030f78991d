import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Listed, lookAround, owedSteps, survive } from "../aftermath.js";
import type { Kind, Session, Tell } from "../frame.js";
import { shuffled, spread } from "../inject.js";
import { checkWorld } from "../invariants.js";
import { passForOriginal } from "../same-root.js";
import { type Stage, type Tale, tellStory } from "../story.js";
import { inProcess, openWorld, type Ran, type World } from "../world.js";
import { follow, stateOf } from "./disk-state.js";
import { acknowledged, type Left, type Told, variantsOf, writeLeft } from "./variants.js";

/**
 * `verify` is clean, or it is after `gc`: a node of an unfinished step can be there whose part is not, and nothing refers
 * to it. A store that is neither is broken: nothing else can be asked of it.
 */
async function madeReady(world: World, tell: Tell): Promise<"whole" | "collected" | "broken"> {
  const uwf = inProcess(world);
  if ((await uwf(["cas", "verify"])).code === 0) return "whole";
  await uwf(["cas", "verify", "--repair"]);
  const gc = await uwf(["cas", "gc", "--yes", "--grace", "0s"]);
  if (gc.code !== 0) tell("what nothing refers to is collected", said("cas gc", gc));
  const ran = await uwf(["cas", "verify"]);
  if (ran.code === 0) return "collected";
  tell("what is damaged is repaired or collected", said("cas verify", ran));
  return "broken";
}

/** What had been told is there, and every command that reads tells the truth. */
async function look(world: World, stage: Stage, told: Told, tell: Tell): Promise<void> {
  const threads = await lookAround(world, { stage, told: told.document, thorough: false }, tell);
  checkPaid(world, threads, told, tell);
  for (const { promise, evidence } of await checkWorld(world, { threads: stage.threads }))
    tell(promise, evidence);
}

/** A result that the agent had synced is the head, or waits in its run for the next step. */
function checkPaid(world: World, threads: readonly Listed[], { result }: Told, tell: Tell): void {
  if (result === null || threads.some(({ head }) => head === result)) return;
  const waits = owedSteps(world).some(({ head, thread }) =>
    threads.some((each) => each.thread === thread && each.head === head),
  );
  if (!waits) tell("what was printed is not run again", `${result} is no head and waits in no run`);
}

function said(what: string, { code, stdout, stderr }: Ran): string {
  return `${what}: exit ${code}: ${stdout.slice(0, 500)}${stderr.slice(0, 500)}`;
}

type PowerOptions = {
  readonly tell: Tale;
  /** A bug of plants.mjs that has to be found. */
  readonly plant: string | null;
  /** Random mixtures per call. */
  readonly mixtures: number;
};

/** One root that a power cut may leave, and what had been told by then. */
type Cut = { readonly stage: Stage; readonly name: string; readonly left: Left; readonly told: Told };

const SAMPLE = { looked: 80, gone: 4 } as const;

/** One of so many roots goes on to the end of its threads, with real binaries. */
const GOES_ON = 40;

/** The power goes after every call of a whole story, on a disk that keeps what was synced and any part of the rest. */
export const power: Kind = powerWith({ tell: tellStory, plant: null, mixtures: 6 });

export function powerWith(options: PowerOptions): Kind {
  return {
    name: "power",
    title:
      "a power cut after every call of the same story: what was synced is there, of the rest nothing, everything, names without bytes, zeros, or a random part",
    sampleRounds: SAMPLE.looked,
    weight: 4,
    run: (session) => run(session, options),
  };
}

async function run(session: Session, { tell, plant, mixtures }: PowerOptions): Promise<void> {
  const { folder, level, random, more, count } = session;
  const stories = join(folder, "story");
  mkdirSync(stories);
  const stages = (await tell(stories, plant)).filter(({ meanwhile }) => meanwhile === null);
  const cuts = stages.flatMap((stage) => cutsOf(session, stage, level === "sample" ? 0 : mixtures));
  count("different storage roots", cuts.length);
  const chosen = level === "sample" ? spread(cuts, SAMPLE.looked) : shuffled(random, cuts);
  const goesOn = level === "sample" ? Math.floor(SAMPLE.looked / SAMPLE.gone) : GOES_ON;
  for (const [index, cut] of chosen.entries()) {
    if (!more(index)) break;
    await judge(session, cut, index % goesOn === goesOn - 1);
  }
}

/** Every root that a power cut during a stage may leave, each once for what had been told. */
function cutsOf({ random, count }: Session, stage: Stage, mixtures: number): readonly Cut[] {
  const state = stateOf(stage.before.root);
  const cuts = new Map<string, Cut>();
  for (const [index, call] of stage.calls.entries()) {
    follow(state, stage.root, call);
    count("power cuts");
    const told = acknowledged(stage.calls.slice(0, index + 1));
    const path = call.path.replace(`${stage.root}/`, "");
    for (const left of variantsOf(state, random, mixtures)) {
      count("states of the disk");
      const name = `${stage.name}: after call ${index + 1} (${call.role} ${call.name} ${path}), ${left.how}`;
      const key = `${left.hash} ${told.document} ${told.result}`;
      if (!cuts.has(key)) cuts.set(key, { stage, name, left, told });
    }
  }
  return [...cuts.values()];
}

async function judge(session: Session, { stage, name, left, told }: Cut, goesOn: boolean): Promise<void> {
  const world = worldOf(session, stage, left);
  const tell = (promise: string, evidence: string): void =>
    session.broken(promise, `seed ${session.seed}, ${name}: ${evidence}`);
  session.count("storage roots looked at");
  const state = await madeReady(world, tell);
  session.count(
    "of them with a node of an unfinished command, which gc collected",
    state === "collected" ? 1 : 0,
  );
  if (state !== "broken") {
    await look(world, stage, told, tell);
    session.count("of them gone on with to the end", goesOn ? 1 : 0);
    if (goesOn) await survive(world, { stage, printed: [], told: told.document, thorough: true }, tell);
  }
  rmSync(world.folder, { recursive: true, force: true });
}

/** A world around the root that is left. No agent has been started in it: its ledger counts those from now on. */
function worldOf({ folder }: Session, stage: Stage, left: Left): World {
  const world = openWorld(join(folder, "after"), "node");
  cpSync(stage.before.cwd, world.cwd, { recursive: true });
  writeLeft(left, world.root);
  passForOriginal(world.root);
  return world;
}
