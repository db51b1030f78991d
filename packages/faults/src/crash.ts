import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Owed, startsOf, survive } from "./aftermath.js";
import type { Kind, Session } from "./frame.js";
import {
  type Call,
  canTrace,
  checkOrder,
  injected,
  quiet,
  readCalls,
  type Syscall,
  shuffled,
  spread,
  type Target,
  traced,
} from "./inject/index.js";
import { readLedger } from "./invariants.js";
import { callsOnBun, type Stage, type StageOnBun, type Tale, tellStory } from "./story.js";
import { copyWorld, type World } from "./world.js";

type Victim = "uwf" | "the agent" | "both" | "the evaluator";

/** The result of an attempt to kill. */
type Death = {
  readonly died: boolean;
  /** The agent had written its result before it died. */
  readonly printed: boolean;
  readonly stdout: string;
  readonly stderr: string;
};

/** One crash point. */
type Point = {
  readonly stage: Stage;
  readonly victim: Victim;
  /** Its figure in the report. */
  readonly figure: string;
  /** A description that is enough to repeat it. */
  readonly name: string;
  /** Runs the stage's command in the world before it, kills, and waits until no process is left. */
  readonly die: (world: World) => Promise<Death>;
};

type Surroundings = { readonly log: (world: World) => string; readonly plant: string | null };

/**
 * Every crash point of a Node.js process that leaves another state: before each call that changes something, and after
 * the last one; for an agent's calls alone and together with its uwf. A crash before a read leaves the same state as
 * one before the next change.
 */
function pointsOf(stages: readonly Stage[], surroundings: Surroundings): readonly Point[] {
  return stages.flatMap((stage) =>
    stage.calls
      .filter(({ name, role }) => name !== "exit" && stage.roles.includes(role))
      .flatMap((call) => targetsAt(stage, call).map((target) => pointAt(stage, call, target, surroundings))),
  );
}

function targetsAt({ calls }: Stage, { role, n, name, to }: Call): readonly Target[] {
  const at = (act: Target["act"]): Target => ({ role, n, act });
  const isLast = !calls.some((other) => other.name !== "exit" && other.role === role && other.n === n + 1);
  // A started process is independent, so there is another crash point right after that call.
  const after = isLast || name === "spawn" ? [at("kill-after")] : [];
  const child = name === "spawn" && EVALUATOR.test(to ?? "") ? [at("kill-child")] : [];
  return role === "agent"
    ? [at("kill-before"), at("kill-both"), ...after]
    : [at("kill-before"), ...after, ...child];
}

/** How uwf starts the evaluator process. */
const EVALUATOR = /evaluator\)?\.serve\(\)/;

function victimOf({ act, role }: Target): Victim {
  if (act === "kill-child") return "the evaluator";
  if (act === "kill-both") return "both";
  return role === "agent" ? "the agent" : "uwf";
}

function pointAt(stage: Stage, call: Call, target: Target, { log, plant }: Surroundings): Point {
  const victim = victimOf(target);
  const when = target.act === "kill-before" || target.act === "kill-both" ? "before" : "after";
  const path = call.path.replace(stage.root, "").replace(/^\//, "");
  const die: Point["die"] = async (world) => {
    await stage.meanwhile?.(world);
    const env = injected(target, { log: log(world), plant });
    const { stdout, stderr } = await world.uwf(stage.line(world), { env });
    await quiet(world);
    const calls = readCalls(log(world));
    const died = calls.some(({ outcome }) => outcome === "killed");
    return { died, printed: calls.some(isResult), stdout, stderr };
  };
  const name = `${stage.name}: ${victim} killed ${when} call ${call.n} (${call.name} ${path}) on Node.js`;
  return { stage, victim, figure: `kills of ${victim} on Node.js`, name, die };
}

function isResult({ role, name, path, outcome }: Call): boolean {
  return role === "agent" && name === "write" && path === "stdout" && outcome === "done";
}

// uwf starts its agent through a shell, which creates `pid`, writes its own pid to it and then execs the agent.
// Nothing can be loaded into the shell, so the states that its crash leaves are made by hand, in a run whose uwf is dead.

const STATES: readonly (readonly [string, (run: string) => void])[] = [
  ["before it created pid", (run) => rmSync(join(run, "pid"))],
  ["before it wrote pid", (run) => writeFileSync(join(run, "pid"), "")],
  ["after it wrote pid", () => {}],
  ["after the system refused the agent", (run) => writeFileSync(join(run, "pid"), `${GONE}not started\n`)],
  ["after somebody barred the run", (run) => writeFileSync(join(run, "pid"), "barred\n")],
  ["in the middle of the agent's result", (run) => writeFileSync(join(run, "stdout"), "0123456789")],
];

/** A pid that never exists: it is above the kernel's maximum. */
const GONE = `4999999 (sh) S 1 4999999 4999999${" 0".repeat(15)} 1${" 0".repeat(30)}\n`;

const STAGE = "a step after an abandoned run";

/** Every state that a crash of the shell can leave. */
function startsOfAgents(stages: readonly Stage[]): readonly Point[] {
  return stages
    .filter(({ name }) => name === STAGE)
    .flatMap((stage) => STATES.map((state) => pointOf(stage, state)));
}

function pointOf(stage: Stage, [when, leave]: (typeof STATES)[number]): Point {
  const die: Point["die"] = async (world) => {
    for (const run of runsOf(world)) leave(run);
    return { died: true, printed: false, stdout: "", stderr: "" };
  };
  const name = `${stage.name}: the shell that starts the agent died ${when}`;
  return {
    stage,
    victim: "both",
    figure: "states that the start of an agent can leave",
    name,
    die,
  };
}

function runsOf({ root }: World): readonly string[] {
  const runs = join(root, "runs");
  return readdirSync(runs).flatMap((thread) =>
    readdirSync(join(runs, thread))
      .filter((name) => name !== "cwd.json")
      .map((token) => join(runs, thread, token)),
  );
}

/** The same crash points in processes of bun, before each system call that changes something. */
function syscallPointsOf(stages: readonly StageOnBun[]): readonly Point[] {
  return stages.flatMap((on) =>
    on.calls.flatMap((call) => victimsOf(on).map((victim) => syscallPoint(on, call, victim))),
  );
}

function victimsOf({ role }: StageOnBun): readonly Victim[] {
  return role === "uwf" ? ["uwf"] : ["the agent", "both"];
}

function syscallPoint({ stage, role }: StageOnBun, call: Syscall, victim: Victim): Point {
  const die: Point["die"] = async (world) => {
    await stage.meanwhile?.(world);
    const trace = { role, injection: { call, effect: "signal=KILL" }, both: victim === "both" } as const;
    const { ran, calls, killed } = await traced(world, stage.line(world), trace);
    const printed =
      role === "agent" && calls.some(({ text }) => /^write\(1<.*"[^"]{13}\\n", 14\) = 14$/.test(text));
    return { died: killed, printed, stdout: ran.stdout, stderr: ran.stderr };
  };
  const name = `${stage.name}: ${victim} killed before ${call.name} ${call.n} on bun (${call.text.slice(0, 200)})`;
  return { stage, victim, figure: `kills of ${victim} on bun`, name, die };
}

type Points = {
  readonly node: readonly Point[];
  readonly bun: readonly Point[];
  readonly starts: readonly Point[];
};

type CrashOptions = {
  readonly tell: Tale;
  /** A planted bug of plants.mjs, which must be found. */
  readonly plant: string | null;
  readonly choose: (session: Session, points: Points) => readonly Point[];
};

/** After every n-th crash the read-only commands are real processes, otherwise they run in this one. */
const THOROUGH = 8;

/** How many of each victim the sample kills; none of bun without strace. */
const SAMPLE = { uwf: 6, "the agent": 2, both: 2, "the evaluator": 1, bun: 2 } as const;

/** Every stage must run again to count its calls on bun: the sample uses only one. */
const SAMPLE_OF_BUN = "thread step 4";

/** bun has as many points but adds little: one of them for three of Node.js, until all are done. */
const NODE_TO_BUN = 3;

/** Kills at every point of a whole story, and checks that it can continue. */
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
      // Fixed: a kill of a running agent makes a different number of calls each time.
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
    broken("what is printed is durable", `${name}: ${call.role} ${call.name} ${call.path}: ${reason}`);
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

/** The step of an agent that wrote its result before it died. */
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
