import { join } from "node:path";
import { findThread, openStorage, readChain, readSpent } from "@uncaged/workflow-store";
import type { Tell } from "./frame.js";
import { checkWorld, readLedger } from "./invariants.js";
import type { Command, Stage } from "./story.js";
import { inProcess, namesIn, type Ran, RUNTIMES, STEPS, textOf, type World } from "./world.js";

/** A step whose result is in a run's stdout: it has been paid for. */
export type Owed = { readonly thread: string; readonly head: string; readonly starts: number };

/** Every step that an agent has printed but no head points to yet. */
export function owedSteps(world: World): readonly Owed[] {
  const runs = join(world.root, "runs");
  return namesIn(runs).flatMap((thread) =>
    namesIn(join(runs, thread))
      .filter((token) => !token.startsWith(".") && token !== "ending" && !token.endsWith(".json"))
      .flatMap((token) => {
        const head = printedFrom(join(runs, thread, token));
        return head === null ? [] : [{ thread, head, starts: startsOf(world, thread, head) }];
      }),
  );
}

/** How often an agent was started for a thread at a head. */
export function startsOf({ ledger }: World, thread: string, head: string): number {
  return readLedger(ledger).filter((start) => start.thread === thread && start.head === head).length;
}

/** The head that a run started from, if its result line is complete. */
function printedFrom(run: string): string | null {
  if (!/(^|\n)[0-9A-HJKMNP-TV-Z]{13}\n$/.test(textOf(join(run, "stdout")))) return null;
  const record = textOf(join(run, "run.json"));
  // Removed before its stdout: the thread has ended, and its runs are being removed.
  return record === "" ? null : JSON.parse(record).head;
}

export type Listed = {
  readonly thread: string;
  readonly head: string;
  readonly done: boolean;
  readonly error: string | null;
};

type Runner = (world: World, args: readonly string[]) => Promise<Ran>;

const binary: Runner = (world, args) => world.uwf(args, { runtime: RUNTIMES[0] });

/** The output of a read-only command, without starting a process. */
const look: Runner = (world, args) => inProcess(world)(args);

type Aftermath = {
  readonly stage: Stage;
  /** Steps known to have been printed, besides those in a run's stdout. */
  readonly printed: readonly Owed[];
  /** The command's stdout so far. */
  readonly told: string;
  /** Whether the read-only commands are also run as real processes. */
  readonly thorough: boolean;
};

/**
 * After a crash: every read-only command works, the interrupted command can be repeated, every thread reaches its end,
 * no printed step is run again, and the invariants of the store hold.
 */
export async function survive(
  world: World,
  { stage, printed, told, thorough }: Aftermath,
  tell: Tell,
): Promise<void> {
  const owed = [...owedSteps(world), ...printed];
  const left = await lookAround(world, { stage, told, thorough }, tell);
  for (const thread of stage.threads) await checkSpent(world, thread, tell);
  const killed = await killedAmong(world, left);
  for (const command of stage.again) await again(world, command, tell);
  const there = await threadsOf(world, tell);
  for (const thread of stage.gives) {
    if (!there.some((listed) => listed.thread === thread))
      tell("the command can be given again", `no ${thread}`);
  }
  for (const { thread } of there.filter(({ done }) => !done)) await finish(world, thread, tell);
  const ended = await threadsOf(world, tell);
  for (const listed of ended) await checkEnd(world, listed, killed, tell);
  for (const { thread, head, starts } of owed) {
    const now = startsOf(world, thread, head);
    if (now > starts)
      tell("what was printed is not run again", `${thread} from ${head} was run ${now} times`);
  }
  const threads = [...stage.threads, ...left.map(({ thread }) => thread)];
  for (const { promise, evidence } of await checkWorld(world, { threads })) tell(promise, evidence);
}

/** Every read-only command works, no thread is lost, and what was printed is there. Gives the threads. */
export async function lookAround(
  world: World,
  { stage, told, thorough }: Omit<Aftermath, "printed">,
  tell: Tell,
): Promise<readonly Listed[]> {
  const left = await readAll(world, thorough ? binary : look, tell);
  for (const thread of stage.threads) {
    if (!left.some((listed) => listed.thread === thread))
      tell("no thread is lost", `${thread} is not listed`);
  }
  await checkTold(world, told, tell);
  return left;
}

/** A step is counted before the head moves to it, and once: what a thread has spent is what it has, or one step more. */
async function checkSpent(world: World, thread: string, tell: Tell): Promise<void> {
  const storage = openStorage(world.root, { now: Date.now });
  const [spent, state] = [readSpent(storage, thread as never), await findThread(storage, thread)];
  if (!spent.ok || spent.value === null || !state.ok || state.value.kind === "ended") return;
  const chain = readChain(storage.cas, state.value.head);
  const more = chain.ok ? spent.value.steps - chain.value.steps.length : -1;
  if (more !== 0 && more !== 1)
    tell("what is spent is counted once", `${thread} counts ${more} steps more than it has`);
}

/** A thread that was printed exists, with the step that was printed. */
async function checkTold(world: World, told: string, tell: Tell): Promise<void> {
  const { thread = null, head = null, name = null } = documentIn(told);
  if (thread === null && name === null) return;
  const line = thread === null ? ["workflow", "show", name ?? ""] : ["thread", "steps", thread];
  const ran = await look(world, line);
  const isThere = ran.code === 0 && (head === null || ran.stdout.includes(`"${head}"`));
  if (!isThere) tell("what was printed is kept", `${told.trim()}, and now ${ran.stdout}${ran.stderr}`);
}

/** A document truncated by the crash is ignored. */
function documentIn(text: string): Partial<Readonly<Record<"thread" | "head" | "name", string>>> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

async function threadsOf(world: World, tell: Tell): Promise<readonly Listed[]> {
  const ran = await look(world, ["thread", "list", "--all"]);
  if (ran.code === 0) return JSON.parse(ran.stdout).map(asListed);
  tell("every command that reads works", `thread list --all: exit ${ran.code}: ${ran.stderr}`);
  return [];
}

function asListed({ thread, head, done = false, error = null }: Listed): Listed {
  return { thread, head, done, error };
}

/** Every read-only command, on every thread. */
async function readAll(world: World, read: Runner, tell: Tell): Promise<readonly Listed[]> {
  const listed = await threadsOf(world, tell);
  const lines: (readonly string[])[] = [
    ["thread", "list", "--all"],
    ["workflow", "list"],
    ["cas", "verify"],
  ];
  for (const { thread, done, error } of listed) {
    if (error !== null) tell("every command that reads works", `${thread} is marked: ${error}`);
    lines.push(...["show", "steps", "read"].map((verb) => ["thread", verb, thread]));
    if (!done) lines.push(["thread", "next", thread]);
  }
  for (const line of lines) {
    const ran = await read(world, line);
    if (ran.code === 0) continue;
    tell(
      "every command that reads works",
      `${line.join(" ")}: exit ${ran.code ?? ran.signal}: ${ran.stderr}`,
    );
  }
  return listed;
}

/** Threads with a recorded kill: nothing may revive them. */
async function killedAmong(world: World, listed: readonly Listed[]): Promise<ReadonlySet<string>> {
  const killed = new Set<string>();
  for (const { thread } of listed.filter(({ done }) => done)) {
    if ((await shown(world, thread)).reason === "killed") killed.add(thread);
  }
  return killed;
}

async function shown(world: World, thread: string): Promise<{ readonly reason: string | null }> {
  const ran = await look(world, ["thread", "show", thread]);
  return ran.code === 0 ? JSON.parse(ran.stdout) : { reason: null };
}

async function again(world: World, { line, codes }: Command, tell: Tell): Promise<void> {
  const ran = await binary(world, line(world));
  if (codes.includes(ran.code ?? -1)) return;
  const what = line(world).join(" ");
  tell("the command can be given again", `${what}: exit ${ran.code ?? ran.signal}: ${ran.stderr}`);
}

async function finish(world: World, thread: string, tell: Tell): Promise<void> {
  const ran = await binary(world, ["thread", "run", thread, ...world.agent]);
  if (ran.code === 0 && JSON.parse(ran.stdout).done === true) return;
  tell("the thread reaches its end", `${thread}: exit ${ran.code ?? ran.signal}: ${ran.stdout}${ran.stderr}`);
}

async function checkEnd(
  world: World,
  { thread, done }: Listed,
  killed: ReadonlySet<string>,
  tell: Tell,
): Promise<void> {
  if (!done) return tell("the thread reaches its end", `${thread} is still active`);
  const { reason } = await shown(world, thread);
  if (killed.has(thread)) {
    if (reason !== "killed") tell("a killed thread stays killed", `${thread} ended by ${reason}`);
    return;
  }
  if (reason === "killed") return;
  const { steps } = JSON.parse((await look(world, ["thread", "steps", thread])).stdout);
  // The first of them is the start.
  if (steps.length !== STEPS + 1)
    tell("the thread reaches its end", `${thread} has ${steps.length - 1} steps`);
}
