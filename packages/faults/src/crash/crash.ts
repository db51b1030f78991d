import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Owed, startsOf, survive } from "../aftermath/index.js";
import type { Kind, Session } from "../frame/index.js";
import { canTrace, checkOrder, shuffled, spread } from "../inject/index.js";
import { readLedger } from "../invariants/index.js";
import { callsOnBun, type Stage, type Tale, tellStory } from "../story/index.js";
import { copyWorld, type World } from "../world/index.js";
import { type Point, pointsOf, type Victim } from "./points.js";
import { startsOfAgents } from "./starts.js";
import { syscallPointsOf } from "./syscalls.js";

export type Points = {
  readonly node: readonly Point[];
  readonly bun: readonly Point[];
  readonly starts: readonly Point[];
};

export type CrashOptions = {
  readonly tell: Tale;
  /** A bug of plants.mjs that has to be found. */
  readonly plant: string | null;
  readonly choose: (session: Session, points: Points) => readonly Point[];
};

/** After one death of so many the reading commands are real processes, otherwise the same program in this one. */
const THOROUGH = 8;

/** How many of each victim the sample kills; none of bun where there is no strace. */
const SAMPLE = { uwf: 6, "the agent": 2, both: 2, "the evaluator": 1, bun: 2 } as const;

/** Every stage has to run once more before its calls on bun are known: the sample takes them from one. */
const SAMPLE_OF_BUN = "thread step 4";

/** bun's places are as many and show little more: one of them to three of Node.js, until all have had their turn. */
const NODE_TO_BUN = 3;

/** Kills at every point of a whole story, and looks whether it goes on. */
export const crash = crashWith({
  tell: tellStory,
  plant: null,
  choose: ({ level, random }, points) =>
    level === "sample"
      ? sampleOf(points)
      : [...points.starts, ...mixed(shuffled(random, points.node), shuffled(random, points.bun))],
});

function sampleOf({ node, bun }: Points): readonly Point[] {
  const of = (victim: Victim): readonly Point[] =>
    spread(
      // Always the same: a kill at work makes another number of calls each time.
      node.filter((point) => point.victim === victim && point.stage.meanwhile === null),
      SAMPLE[victim],
    );
  return [
    ...of("uwf"),
    ...of("the agent"),
    ...of("both"),
    ...of("the evaluator"),
    ...spread(bun, SAMPLE.bun),
  ];
}

export function crashWith(options: CrashOptions): Kind {
  return {
    name: "crash",
    title: "SIGKILL of uwf, of the agent, or of both, at every call of a whole story that changes something",
    sampleRounds: Object.values(SAMPLE).reduce((sum, size) => sum + size, 0),
    weight: 8,
    goals: {
      "kills of uwf on Node.js": 300,
      "kills of the agent on Node.js": 60,
      "kills of both on Node.js": 60,
    },
    run: (session) => run(session, options),
  };
}

async function run(session: Session, { tell, plant, choose }: CrashOptions): Promise<void> {
  const stages = await tell(join(session.folder, "story"), plant);
  for (const stage of stages) ordered(session, stage);
  const log = ({ folder }: World): string => join(folder, "calls");
  const onBun = session.level === "full" ? stages : stages.filter(({ name }) => name === SAMPLE_OF_BUN);
  const points = {
    node: pointsOf(stages, { log, plant }),
    bun: canTrace() ? syscallPointsOf(await callsOnBun(onBun, join(session.folder, "traced"))) : [],
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
  const { died, printed, stdout, stderr } = await die(world);
  session.count(figure, died ? 1 : 0);
  if (!died && stage.meanwhile === null)
    tell("every call that was counted can be died at", `nothing was killed: ${stderr}`);
  await survive(
    world,
    { stage, printed: printed ? lastStart(world) : [], told: stdout, thorough: index % THOROUGH === 0 },
    tell,
  );
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
