import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Owed, startsOf, survive } from "../aftermath/index.js";
import type { Kind, Session } from "../frame/index.js";
import { checkOrder, shuffled, spread } from "../inject/index.js";
import { readLedger } from "../invariants/index.js";
import { type Stage, tellStory } from "../story/index.js";
import { copyWorld, type World } from "../world/index.js";
import { type Point, pointsOf } from "./points.js";
import { startsOfAgents } from "./starts.js";
import { syscallPointsOf } from "./syscalls.js";

export type Points = {
  readonly node: readonly Point[];
  readonly bun: readonly Point[];
  readonly starts: readonly Point[];
};

export type CrashOptions = {
  /** A bug of plants.mjs that has to be found. */
  readonly plant: string | null;
  readonly choose: (session: Session, points: Points) => readonly Point[];
};

/** Places of the sample, on either runtime. */
const SAMPLE = { node: 20, bun: 4 } as const;

/** bun's places are as many and show little more: one of them to three of Node.js, until all have had their turn. */
const NODE_TO_BUN = 3;

/** Kills at every point of a whole story, and looks whether it goes on. */
export const crash = crashWith({
  plant: null,
  choose: ({ level, random }, { node, bun, starts }) =>
    level === "sample"
      ? [...spread(node, SAMPLE.node), ...spread(bun, SAMPLE.bun)]
      : [...starts, ...mixed(shuffled(random, node), shuffled(random, bun))],
});

export function crashWith(options: CrashOptions): Kind {
  return {
    name: "crash",
    title: "SIGKILL of uwf, of the agent, or of both, at every call of a whole story that changes something",
    sampleRounds: SAMPLE.node + SAMPLE.bun,
    weight: 8,
    goals: {},
    run: (session) => run(session, options),
  };
}

async function run(session: Session, { plant, choose }: CrashOptions): Promise<void> {
  const stages = await tellStory(join(session.folder, "story"), plant);
  for (const stage of stages) ordered(session, stage);
  const log = ({ folder }: World): string => join(folder, "calls");
  const points = {
    node: pointsOf(stages, { log, plant }),
    bun: await syscallPointsOf(stages, join(session.folder, "traced")),
    starts: startsOfAgents(stages),
  };
  session.count("places to die at on Node.js", points.node.length);
  session.count("places to die at on bun", points.bun.length);
  for (const [index, point] of choose(session, points).entries()) {
    if (!session.more(index)) return;
    await kill(session, point, index);
  }
}

function ordered({ count, broken }: Session, { name, root, calls }: Stage): void {
  const { disorders, moments } = checkOrder(root, calls);
  count("moments at which everything had to be durable", moments);
  for (const { call, reason } of disorders) {
    broken("what is told is durable", `${name}: ${call.role} ${call.name} ${call.path}: ${reason}`);
  }
}

async function kill(session: Session, { stage, figure, name, die }: Point, index: number): Promise<void> {
  const world = copyWorld(stage.before, join(session.folder, "point"), "node");
  const tell = (promise: string, evidence: string): void =>
    session.broken(promise, `seed ${session.seed}, ${name}: ${evidence}`);
  const { died, printed, said } = await die(world);
  session.count(figure, died ? 1 : 0);
  if (!died && stage.meanwhile === null)
    tell("every call that was counted can be died at", `nothing was killed: ${said}`);
  await survive(world, { stage, printed: printed ? lastStart(world) : [], thorough: index % 8 === 0 }, tell);
  rmSync(world.folder, { recursive: true, force: true });
}

/** The step of an agent that wrote its result before it died, whatever its uwf made of that. */
function lastStart(world: World): readonly Owed[] {
  const start = readLedger(world.ledger).at(-1);
  if (start === undefined) return [];
  const { thread, head } = start;
  return [{ thread, head, starts: startsOf(world, thread, head) }];
}

function mixed(node: readonly Point[], bun: readonly Point[]): readonly Point[] {
  const turns = [
    ...node.map((point, index) => ({ point, turn: index })),
    ...bun.map((point, index) => ({ point, turn: index * NODE_TO_BUN })),
  ];
  return turns.sort((a, b) => a.turn - b.turn).map(({ point }) => point);
}
