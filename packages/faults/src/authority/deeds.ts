import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../frame.js";
import { inProcess, type Ran } from "../world.js";
import { KEY, NEW_KEY, type Stage, type Start, startsOf, TASKS } from "./stage.js";

/** What one command did. */
export type Deed = {
  /** The same for the unchanged export. */
  readonly name: string;
  readonly args: readonly string[];
  readonly ran: Ran;
  readonly starts: readonly Start[];
  readonly signals: readonly string[];
};

/** Which of the slow and the many are done in this round. */
export type Choice = {
  /** Places of imported threads that are read and stepped. */
  readonly imported: readonly number[];
  /** Whether the owner's threads are stepped that start processes: sessions, children, all of them to their ends. */
  readonly isDeep: boolean;
};

export const everythingAt = (isDeep: boolean): Choice => ({ imported: [0, 1, 2, 3, 4, 5, 6, 7], isDeep });

/** `isThread`: whether a thread's id is the stranger's idea, so that children are worth their processes. */
export function chooseDeeds({ random, level }: Session, isThread: boolean): Choice {
  // The first imported thread would continue a session. Of both the unchanged export has to be done too.
  const isDeep = isThread || (level === "full" && random.below(3) === 0);
  return { imported: [0, 1 + random.below(7)], isDeep };
}

/** The import, then every command, on the owner's root. */
export async function doAll(stage: Stage, file: string, choice: Choice): Promise<readonly Deed[]> {
  const deeds: Deed[] = [];
  const doOne = doerOf(stage, deeds);
  const brought = await doOne("import", ["cas", "import", file]);
  if (brought.code !== 0) return deeds;
  const { entries } = JSON.parse(brought.stdout) as {
    readonly entries: readonly { readonly thread: string }[];
  };
  const imported = entries.map(({ thread }) => thread);
  await readAll(stage, imported, choice, doOne);
  await actOnOwn(stage, choice, doOne);
  await actOnImported(stage, imported, choice, doOne);
  // It starts a process for each thread, in the folder where it is itself.
  if (choice.isDeep)
    await doOne("run all", ["thread", "run", "--all"], (args) => stage.world.uwf(args, { env: stage.env }));
  await keep(stage, doOne);
  return deeds;
}

type DoOne = (
  name: string,
  args: readonly string[],
  uwf?: (args: readonly string[]) => Promise<Ran>,
) => Promise<Ran>;

/** Runs a command in this process, and notes what it started and signalled. */
function doerOf(stage: Stage, deeds: Deed[]): DoOne {
  const signals: string[] = [];
  const uwf = inProcess(stage.world, {
    env: stage.env,
    kill: (pid, signal) => {
      signals.push(`${signal} to ${pid}`);
      return false;
    },
  });
  const known = new Set<string>();
  return async (name, args, own = uwf) => {
    signals.length = 0;
    const ran = await watchingKills(signals, () => own(args));
    const starts = startsOf(stage, known);
    deeds.push({ name, args, ran, starts, signals: [...signals] });
    return ran;
  };
}

/** The processes that a step starts and ends itself have groups of their own; those of others are never signalled. */
async function watchingKills<T>(signals: string[], work: () => Promise<T>): Promise<T> {
  const { kill } = process;
  process.kill = (pid, signal) => {
    if (signal !== 0) signals.push(`${signal} to ${pid}`);
    return kill.call(process, pid, signal);
  };
  try {
    return await work();
  } finally {
    process.kill = kill;
  }
}

async function readAll(
  { world }: Stage,
  imported: readonly string[],
  { imported: chosen }: Choice,
  doOne: DoOne,
) {
  await doOne("list", ["thread", "list", "--all"]);
  await doOne("ps", ["thread", "ps"]);
  await doOne("workflows", ["workflow", "list"]);
  await doOne("log", ["log"]);
  for (const [at, thread] of imported.entries()) {
    await doOne(`show ${at}`, ["thread", "show", thread]);
    await doOne(`next ${at}`, ["thread", "next", thread]);
    if (!chosen.includes(at)) continue;
    for (const verb of ["steps", "read", "usage"]) await doOne(`${verb} ${at}`, ["thread", verb, thread]);
    const question = await doOne(`question ${at}`, ["thread", "answer", thread, "--show"]);
    if (question.code === 0) await doOne(`prompt ${at}`, ["thread", "next", thread, "--prompt"]);
    const report = join(world.cwd, `report-${at}.html`);
    await doOne(`report ${at}`, ["thread", "report", thread, "-o", report]);
    if (existsSync(report)) rmSync(report);
  }
}

async function actOnOwn({ threads, child, heads }: Stage, { isDeep }: Choice, doOne: DoOne): Promise<void> {
  await doOne("own latest", ["thread", "show", "latest"]);
  await doOne("own key", ["thread", "start", "gate", "-p", TASKS.gate ?? "", "--key", KEY]);
  await doOne("new key", ["thread", "start", "gate", "-p", TASKS.gate ?? "", "--key", NEW_KEY]);
  const asChild = ["--parent", threads.fresh, "--key", `${heads.fresh}/lead`];
  await doOne("own child", ["thread", "start", "gate", "-p", TASKS.ship ?? "", ...asChild]);
  const byEnd = byItsEnd(doOne);
  if (isDeep) await byEnd("own visit", threads.visit, (thread) => ["thread", "step", thread]);
  await byEnd("own gate", threads.gate, (thread) => ["thread", "step", thread]);
  if (isDeep) await doOne("own ship", ["thread", "step", threads.ship]);
  await byEnd("own answer", child, (thread) => ["thread", "answer", thread, "--field", "approved=false"]);
  if (isDeep) await doOne("own ship, answered", ["thread", "step", threads.ship]);
  await byEnd("own pause", threads.paper, (thread) => ["thread", "pause", thread]);
  await byEnd("own resume", threads.paper, (thread) => ["thread", "resume", thread]);
}

/** As people name a thread: by the end of its id, and by all of it where that is said to be ambiguous. */
function byItsEnd(doOne: DoOne) {
  return async (name: string, thread: string, args: (thread: string) => readonly string[]): Promise<void> => {
    const { stderr } = await doOne(name, args(thread.slice(-4)));
    if (stderr.includes("AMBIGUOUS_PREFIX")) await doOne(name, args(thread));
  };
}

async function actOnImported(
  { world }: Stage,
  imported: readonly string[],
  { imported: chosen }: Choice,
  doOne: DoOne,
): Promise<void> {
  for (const [at, thread] of imported.entries())
    if (chosen.includes(at)) await doOne(`step ${at}`, ["thread", "step", thread, "--cwd", world.cwd]);
}

/** What the owner's threads are at the end. */
export async function ownThreads(stage: Stage): Promise<readonly (readonly [string, Ran])[]> {
  const uwf = inProcess(stage.world, { env: stage.env });
  const found: (readonly [string, Ran])[] = [];
  for (const [name, thread] of Object.entries({ ...stage.threads, child: stage.child })) {
    found.push([name, await uwf(["thread", "steps", thread])], [name, await uwf(["thread", "show", thread])]);
  }
  return found;
}

async function keep({ world, threads }: Stage, doOne: DoOne): Promise<void> {
  for (const args of [
    ["cas", "gc", "--grace", "0s", "--yes"],
    ["cas", "pack"],
    ["cas", "verify"],
    ["cas", "verify", "--repair"],
    ["cas", "gc", "--grace", "0s", "--yes"],
    ["doctor"],
    ["cas", "export", threads.visit, threads.paper, "-o", join(world.cwd, "own.pack")],
  ])
    await doOne(args.slice(0, 3).join(" "), args);
}
