import { survive } from "./aftermath.js";
import type { Kind, Session, Tell } from "./frame.js";
import { type Act, type Call, ERRNOS, shuffled, spread } from "./inject.js";
import { checkWorld } from "./invariants.js";
import { type Stage, shapeOf, tellStory } from "./story.js";
import { type Blow, type StrikeOptions, type Struck, strikingKind } from "./strike.js";
import { RUNTIMES } from "./world.js";

/** All errors of a call. */
const ACTS: readonly Act[] = ["short", ...ERRNOS];

/** Every call that changes something, with all its errors. */
function errorsAt({ meanwhile }: Stage, { name }: Call): readonly Act[] {
  if (meanwhile !== null || name === "kill") return [];
  if (name === "spawn") return ["EMFILE", "EACCES"];
  return name === "write" ? ACTS : ERRNOS;
}

/** `done`: success. `refused`: an error, with the store unchanged or completely changed. */
type Verdict = "done" | "refused";

const NOT_STARTABLE = 4;
const IO = 74;

/** Checks how a command handled the failed call. */
async function verdictOn({ world, blow, ran, tell }: Struck): Promise<Verdict> {
  const { stage, act, call } = blow;
  const shape = await shapeOf(world, stage.threads);
  const said = `exit ${ran.code ?? ran.signal}, stdout ${JSON.stringify(ran.stdout)}, stderr ${JSON.stringify(ran.stderr)}`;
  if (stage.codes.includes(ran.code ?? -1)) {
    if (shape !== stage.shapes.after) tell("what succeeds is done", `${said}; now ${shape}`);
    return "done";
  }
  if (act === "short") tell("what was written in part is completed", said);
  // An agent that cannot be started has its own code.
  const codes = call.name === "spawn" ? [NOT_STARTABLE, IO] : [IO];
  if (!codes.includes(ran.code ?? -1)) tell("a failing disk is exit 74", said);
  if (!isOneError(ran.stderr, call)) tell("a failing disk gives one clear error", said);
  if (ran.stdout !== "" && call.path !== "stdout") tell("stdout is empty on an error", said);
  if (shape !== stage.shapes.before && shape !== stage.shapes.after) {
    tell(
      "the store is unchanged or completely changed",
      `${said}; it was ${stage.shapes.before}, now ${shape}`,
    );
  }
  return "refused";
}

/** The agent's own output may come before. */
function isOneError(stderr: string, { role }: Call): boolean {
  const errors = stderr.match(/^error\[[A-Z_]+\]: \S.*$/gm) ?? [];
  const hints = stderr.match(/^hint: \S.*$/gm) ?? [];
  const limit = role === "agent" ? 2 : 1;
  return errors.length >= 1 && errors.length <= limit && hints.length >= 1 && hints.length <= limit;
}

/** After every n-th fault the whole story continues to its end. */
const TO_THE_END = 8;

/** How many of each error the sample has. */
const SAMPLE = 4;

/** Makes every write call fail in turn. */
export const disk = diskWith({
  tell: tellStory,
  plant: null,
  choose: ({ level, random }, blows) => (level === "sample" ? sampleOf(blows) : shuffled(random, blows)),
});

function sampleOf(blows: readonly Blow[]): readonly Blow[] {
  return ACTS.flatMap((act) =>
    spread(
      blows.filter((blow) => blow.act === act),
      SAMPLE,
    ),
  );
}

export function diskWith(options: StrikeOptions): Kind {
  const kind = {
    name: "disk",
    title: "ENOSPC, EIO, EACCES, EMFILE or a short write at every call of the same story that writes",
    sampleRounds: ACTS.length * SAMPLE,
    weight: 8,
  };
  return strikingKind({ ...kind, actsAt: errorsAt, judge }, options);
}

/** Checks the answer, repeats the command without the fault; sometimes the whole story to its end. */
async function judge({ count }: Session, struck: Struck): Promise<void> {
  const { blow, world, ran, calls, index } = struck;
  const { stage, call, act } = blow;
  const reached = calls.some(({ role, n }) => role === call.role && n === call.n);
  if (!reached) struck.tell("every call that was counted can be refused", `it did not come: ${ran.stderr}`);
  const verdict = await verdictOn(struck);
  count(figureOf(act));
  count(verdict === "done" ? "of them done all the same" : "of them an error");
  const tell = withoutLog(blow, struck.tell);
  if (verdict === "refused") await repeat(struck);
  if (index % TO_THE_END === 0)
    return survive(world, { stage, printed: [], told: "", thorough: false }, tell);
  for (const { promise, evidence } of await checkWorld(world, { threads: stage.threads }))
    tell(promise, evidence);
}

export function figureOf(act: Act): string {
  return act === "short" ? "writes cut short" : `calls refused with ${act}`;
}

async function repeat({ world, blow, tell }: Struck): Promise<void> {
  const { line, codes, shapes, threads } = blow.stage;
  const isDone = (await shapeOf(world, threads)) === shapes.after;
  const ran = await world.uwf(line(world), { runtime: RUNTIMES[0] });
  // A command whose last call failed has done its work: a thread that has ended says so, an answer cannot be given twice.
  if (codes.includes(ran.code ?? -1) || ran.code === 8 || isDone) return;
  tell("the same command succeeds when the disk does", `exit ${ran.code ?? ran.signal}: ${ran.stderr}`);
}

/** A log that cannot be written fails nothing; its line is lost. */
function withoutLog({ call, act }: Blow, tell: Tell): Tell {
  const isLog = /\/logs(\/[^/]*\.jsonl)?$/.test(call.path);
  if (!isLog || act === "short") return tell;
  return (promise, evidence) => {
    if (promise !== "every run leaves a trace in the log") tell(promise, evidence);
  };
}
