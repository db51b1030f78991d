import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { survive } from "../aftermath/index.js";
import type { Kind, Session } from "../frame/index.js";
import { shuffled, spread } from "../inject/index.js";
import { type Stage, type Tale, tellBeginning, tellStory } from "../story/index.js";
import { openWorld, type World } from "../world/index.js";
import { follow, stateOf } from "./disk-state.js";
import { look, madeReady } from "./look.js";
import { acknowledged, type Told } from "./told.js";
import { type Left, variantsOf, writeLeft } from "./variants.js";

export type PowerOptions = {
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
export const power: Kind = {
  ...powerWith({ tell: tellStory, plant: null, mixtures: 6 }),
  run: (session) =>
    run(session, { tell: session.level === "sample" ? tellBeginning : tellStory, plant: null, mixtures: 6 }),
};

export function powerWith(options: PowerOptions): Kind {
  return {
    name: "power",
    title:
      "a power cut after every call of the same story: what was synced is there, of the rest nothing, everything, names without bytes, zeros, or a random part",
    sampleRounds: SAMPLE.looked,
    weight: 4,
    goals: { "storage roots looked at": 3000, "of them gone on with to the end": 60 },
    run: (session) => run(session, options),
  };
}

async function run(session: Session, { tell, plant, mixtures }: PowerOptions): Promise<void> {
  const { folder, level, random, more, count } = session;
  const stories = join(folder, "story");
  mkdirSync(stories);
  const stages = (await tell(stories, plant)).filter(({ meanwhile }) => meanwhile === null);
  const cuts = stages.flatMap((stage) => cutsOf(session, stage, mixtures));
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
  return world;
}
