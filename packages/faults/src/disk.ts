import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { survive, type Tell } from "./aftermath.js";
import type { Kind, Session } from "./frame.js";
import {
  type Act,
  type Call,
  canTrace,
  ERRNOS,
  type Errno,
  injected,
  quiet,
  type Role,
  readCalls,
  type Syscall,
  shuffled,
  spread,
  traced,
} from "./inject/index.js";
import { checkWorld } from "./invariants.js";
import { callsOnBun, type Stage, type StageOnBun, shapeOf, type Tale, tellStory } from "./story.js";
import { copyWorld, type Ran, RUNTIMES, type World } from "./world.js";

/** One call that fails, or writes only a part. */
type Refusal = {
  readonly stage: Stage;
  readonly role: Role;
  readonly act: Act;
  readonly call: Pick<Call, "name" | "path">;
  /** A description that is enough to repeat it. */
  readonly name: string;
  /** Runs the stage's command in the world before it. `reached`: the call was made and failed. */
  readonly attempt: (world: World) => Promise<{ readonly ran: Ran; readonly reached: boolean }>;
};

/** Rounds: every call with its first error, then every call with its next one. */
type Rounds = readonly (readonly Refusal[])[];

/** All errors of a call. */
const ACTS: readonly Act[] = ["short", ...ERRNOS];

type Surroundings = { readonly log: (world: World) => string; readonly plant: string | null };

/** Every call of Node.js that changes something, with all its errors. */
function refusalsOf(stages: readonly Stage[], surroundings: Surroundings): Rounds {
  const alone = stages.filter(({ meanwhile }) => meanwhile === null);
  const makers = alone.flatMap((stage) =>
    stage.calls
      .filter(({ name }) => name !== "kill" && name !== "exit")
      .map((call) => ({
        acts: actsOn(call),
        make: (act: Act) => refusalOf(stage, call, act, surroundings),
      })),
  );
  return inRounds(makers);
}

/** The same in processes of bun, with errors injected by strace, which cannot do short writes. */
function syscallRefusalsOf(stages: readonly StageOnBun[]): Rounds {
  const alone = stages.filter(({ stage }) => stage.meanwhile === null);
  const makers = alone.flatMap((on) =>
    on.calls
      .filter(({ name }) => name !== "vfork")
      .map((call) => ({ acts: ERRNOS, make: (act: Errno) => syscallRefusalOf(on, call, act) })),
  );
  return inRounds(makers);
}

type Maker<A> = { readonly acts: readonly A[]; readonly make: (act: A) => Refusal };

/** Rotates the errors from call to call, so that each round has some of every kind. */
function inRounds<A>(makers: readonly Maker<A>[]): Rounds {
  return Array.from({ length: ACTS.length }, (_, round) =>
    makers.flatMap(({ acts, make }, index) => {
      const act = acts[(index + round) % acts.length];
      return act === undefined || round >= acts.length ? [] : [make(act)];
    }),
  );
}

function actsOn({ name }: Call): readonly Act[] {
  if (name === "spawn") return ["EMFILE", "EACCES"];
  return name === "write" ? ACTS : ERRNOS;
}

function refusalOf(stage: Stage, call: Call, act: Act, { log, plant }: Surroundings): Refusal {
  const { role, n } = call;
  const attempt: Refusal["attempt"] = async (world) => {
    const env = injected({ role, n, act }, { log: log(world), plant });
    const ran = await world.uwf(stage.line(world), { env });
    await quiet(world);
    const reached = readCalls(log(world)).some((each) => each.role === role && each.n === n);
    return { ran, reached };
  };
  const path = relative(stage.root, call.path);
  const name = `${stage.name}: ${act} for call ${n} of ${role} on Node.js (${call.name} ${path})`;
  return { stage, role, act, call, name, attempt };
}

function syscallRefusalOf({ stage, role }: StageOnBun, call: Syscall, act: Errno): Refusal {
  const attempt: Refusal["attempt"] = async (world) => {
    const trace = { role, injection: { call, effect: `error=${act}` }, both: false } as const;
    const { ran, refused } = await traced(world, stage.line(world), trace);
    return { ran, reached: refused };
  };
  const name = `${stage.name}: ${act} for ${call.name} ${call.n} of ${role} on bun (${call.text.slice(0, 200)})`;
  return { stage, role, act, call, name, attempt };
}

/** `done`: success. `refused`: an error, with the store unchanged or completely changed. */
type Verdict = "done" | "refused";

const NOT_STARTABLE = 4;
const IO = 74;

/** Checks how a command handled the failed call. */
async function judge(world: World, refusal: Refusal, ran: Ran, tell: Tell): Promise<Verdict> {
  const { stage, act } = refusal;
  const shape = await shapeOf(world, stage.threads);
  const said = `exit ${ran.code ?? ran.signal}, stdout ${JSON.stringify(ran.stdout)}, stderr ${JSON.stringify(ran.stderr)}`;
  if (stage.codes.includes(ran.code ?? -1)) {
    if (shape !== stage.shapes.after) tell("what succeeds is done", `${said}; now ${shape}`);
    return "done";
  }
  if (act === "short") tell("what was written in part is completed", said);
  if (!rightCodes(refusal).includes(ran.code ?? -1)) tell("a failing disk is exit 74", said);
  if (!isOneError(ran, refusal)) tell("a failing disk gives one clear error", said);
  if (ran.stdout !== "" && refusal.call.path !== "stdout") tell("stdout is empty on an error", said);
  if (shape !== stage.shapes.before && shape !== stage.shapes.after) {
    tell(
      "the store is unchanged or completely changed",
      `${said}; it was ${stage.shapes.before}, now ${shape}`,
    );
  }
  return "refused";
}

/** In either process; an agent that cannot be started has its own code. */
function rightCodes({ call }: Refusal): readonly number[] {
  return call.name === "spawn" ? [NOT_STARTABLE, IO] : [IO];
}

/** The agent's own output may come before. */
function isOneError({ stderr }: Ran, { role }: Refusal): boolean {
  const errors = stderr.match(/^error\[[A-Z_]+\]: \S.*$/gm) ?? [];
  const hints = stderr.match(/^hint: \S.*$/gm) ?? [];
  const limit = role === "agent" ? 2 : 1;
  return errors.length >= 1 && errors.length <= limit && hints.length >= 1 && hints.length <= limit;
}

type DiskOptions = {
  readonly tell: Tale;
  /** A planted bug of plants.mjs, which must be found. */
  readonly plant: string | null;
  readonly choose: (
    session: Session,
    rounds: { readonly node: Rounds; readonly bun: Rounds },
  ) => readonly Refusal[];
};

/** After every n-th fault the whole story continues to its end. */
const TO_THE_END = 8;

/** How many of each error the sample has. */
const SAMPLE = 4;

/** Makes every write call fail in turn. */
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

/** Repeats the command without the fault; sometimes the whole story to its end. */
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

async function repeat(
  world: World,
  { line, codes, shapes, threads }: Refusal["stage"],
  tell: Tell,
): Promise<void> {
  const isDone = (await shapeOf(world, threads)) === shapes.after;
  const ran = await world.uwf(line(world), { runtime: RUNTIMES[0] });
  // A command whose last call failed has done its work: a thread that has ended says so, an answer cannot be given twice.
  if (codes.includes(ran.code ?? -1) || ran.code === 8 || isDone) return;
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
