import { rmSync } from "node:fs";
import { join } from "node:path";
import { BINARIES, launchPostgres } from "../../../workflow-remote/test/support/server.js";
import { type Kind, type Session, type Tell, teller } from "../frame.js";
import { quiet, shuffled } from "../inject/index.js";
import { ended, inProcess } from "../world.js";
import { ACTS, type Book, found } from "./acts.js";
import { type Fleet, openFleet, type Plan, ROLES, type Start, startsIn } from "./fleet.js";

/** Whether this machine has a PostgreSQL; without one nothing is done. */
export const CAN_RUN: boolean = BINARIES !== null;

const SAMPLE: Plan = { threads: 6, roots: 2, jobs: 2, leaseSeconds: 2 };
const FULL: Plan = { threads: 200, roots: 4, jobs: 3, leaseSeconds: 8 };

export const remote: Kind = {
  name: "remote",
  title:
    "threads of five steps on a PostgreSQL, stepped by workers of several storage roots; every second one has its files in a git repository; workers, uwf, agents, git and all of a root are killed, roots are deleted, workers are frozen for longer than their lease, PostgreSQL crashes and comes back, a root gets a second worker; a person resumes what failed with its agent",
  sampleRounds: 1,
  weight: 5,
  run: async (session) => {
    if (!CAN_RUN) return session.count("machines without PostgreSQL, where nothing was done");
    for (let index = 0; session.more(index); index += 1) {
      const folder = join(session.folder, String(index));
      await round({ ...session, folder }, session.level === "sample" ? SAMPLE : FULL);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function round(session: Session, plan: Plan): Promise<void> {
  const tell = teller(session, `${plan.threads} threads on ${plan.roots} roots`);
  const server = await launchPostgres();
  try {
    const fleet = await openFleet(server, session, tell, plan);
    const book: Book = { random: session.random, killedRuns: new Set() };
    const over = new AbortController();
    const person = resumeFailed(fleet, over.signal);
    await disturb(fleet, plan === SAMPLE, book);
    await toTheEnd(fleet);
    over.abort();
    await person;
    await dismiss(fleet);
    await judge(fleet, book);
    await fleet.remote.close();
  } finally {
    await server.remove();
  }
}

/** The acts in any order, one after so many starts of agents, so that they meet all of the work. */
async function disturb(fleet: Fleet, isSample: boolean, book: Book): Promise<void> {
  const { threads } = fleet;
  const repeated = ACTS.flatMap(([act, times]) => Array.from({ length: isSample ? 1 : times }, () => act));
  const all = shuffled(book.random, repeated);
  const gap = Math.floor((threads.length * ROLES.length) / (2 * all.length));
  for (const act of all) {
    const before = startsIn(fleet.world).length;
    await act(fleet, book);
    await found(fleet, () => (startsIn(fleet.world).length >= before + gap ? true : null));
  }
}

/** Whoever sees that a step failed because its agent did lets it run again, and decides for whom a branch is. */
async function resumeFailed({ remote, repository, tell, count }: Fleet, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const held = await remote.list({ all: false, held: true, workflow: null, limit: null });
    for (const { thread, held: why } of held.ok ? held.value.threads : []) {
      if (why?.code === "GIT_BRANCH_MOVED") {
        repository.git("update-ref", "-d", `refs/heads/uwf/${thread}`);
        count("branches that a person has deleted for a step that came late");
      } else if (why?.code === "GIT_FAILED") count("steps resumed after git had failed");
      else if (why?.code !== "AGENT_FAILED")
        tell("a thread waits for nobody unless its agent failed", `${thread}: ${JSON.stringify(why)}`);
      const resumed = await remote.resume(thread);
      if (resumed.ok && resumed.value) count("steps resumed after their agent had failed");
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const LONGEST_MS = 10 * 60_000;

async function toTheEnd({ remote, tell }: Fleet): Promise<void> {
  const deadline = Date.now() + LONGEST_MS;
  for (;;) {
    const left = await remote.list({ all: false, held: false, workflow: null, limit: null });
    if (left.ok && left.value.threads.length + left.value.wrong.length === 0) return;
    if (Date.now() > deadline) return tell("every thread comes to its end", JSON.stringify(left));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function dismiss({ members, world, tell }: Fleet): Promise<void> {
  const ends = members.map(async (member) => {
    if (member.isOver) return;
    member.isOver = true;
    const end = ended(member.child);
    member.child.kill("SIGTERM");
    const { code, signal, stderr } = await end;
    if (code !== 0)
      tell("a worker that is told to stop succeeds", `${code ?? signal}: ${stderr.slice(-600)}`);
  });
  await Promise.all(ends);
  await quiet(world);
}

/** Every step of every thread, and each run beside it with its reason. */
async function judge(fleet: Fleet, book: Book): Promise<void> {
  const { world, remote, threads, count, tell } = fleet;
  const starts = startsIn(world);
  const uwf = inProcess(world);
  for (const thread of threads) {
    const found = await remote.find(thread);
    if (!found.ok || found.value.ended !== "end" || found.value.steps !== ROLES.length)
      tell("every thread comes to its end", JSON.stringify(found));
    const commit = found.ok ? (found.value.workspace?.commit ?? null) : null;
    for (const words of [["fetch"], ["steps"]]) {
      const { code, stdout, stderr } = await uwf(["thread", ...words, thread]);
      if (code !== 0) tell("a thread can be fetched", `${words.join(" ")}: ${stderr.slice(-600)}`);
      else if (words[0] === "steps") {
        const winners = winnersIn(stdout, tell);
        const runs = { winners, starts: starts.filter((start) => start.thread === thread), thread };
        await judgeRuns(fleet, book, runs);
        if (threads.indexOf(thread) % 2 === 0) judgeFiles(fleet, commit, runs);
      }
    }
    count("threads to their end");
  }
  const verified = await world.uwf(["cas", "verify"]);
  if (verified.code !== 0) tell("the store is whole", verified.stderr);
}

type Steps = {
  readonly steps: readonly { readonly role?: string; readonly output?: { readonly run: string } }[];
};

/** The runs whose results are the thread's steps. */
function winnersIn(document: string, tell: Tell): readonly string[] {
  const steps = (JSON.parse(document) as Steps).steps.filter(({ role }) => role !== undefined);
  const roles = steps.map(({ role }) => role);
  if (roles.join() !== ROLES.join()) tell("each role plays once", roles.join());
  return steps.map(({ output }) => output?.run.slice("r-".length) ?? "");
}

type Runs = {
  readonly thread: string;
  readonly winners: readonly string[];
  readonly starts: readonly Start[];
};

type Event = { readonly event: string; readonly root?: string; readonly head?: string };

/** A run that is no step of the thread was killed, or its root had lost the thread and the log says so. */
async function judgeRuns(
  { remote, count, tell }: Fleet,
  { killedRuns }: Book,
  { thread, winners, starts }: Runs,
): Promise<void> {
  const log = await remote.events({ threads: [thread], since: null, limit: 10_000 });
  if (!log.ok) throw new Error(log.error.code);
  const events = log.value.map(({ entry }) => entry as Event);
  const losses = events.filter(({ event }) => event === "lost");
  count("steps", winners.length);
  count("runs of agents", starts.length);
  count(
    "steps that came too late, refused and kept",
    events.filter(({ event }) => event === "refused").length,
  );
  count("repeats that nothing explains", 0);
  for (const winner of winners) {
    if (starts.filter(({ run }) => run === winner).length !== 1)
      tell("a step has one run", `${thread}: ${winner}`);
  }
  for (const { run, root, head } of starts) {
    if (winners.includes(run)) continue;
    const loss = losses.findIndex((each) => each.root === root && each.head === head);
    if (killedRuns.has(run)) count("repeats after a killed agent");
    else if (loss !== -1) {
      losses.splice(loss, 1);
      count("repeats after a lease that ran out");
    } else {
      count("repeats that nothing explains");
      tell("a step is run once", `${thread} at ${head}, run ${run}: ${JSON.stringify({ starts, events })}`);
    }
  }
}

/** Of every step its file is in the commit that the remote names, in their order, and beside them only what other runs have left. */
function judgeFiles(
  { repository, count, tell }: Fleet,
  commit: string | null,
  { thread, winners, starts }: Runs,
): void {
  const lines = commit === null ? [] : repository.git("show", `${commit}:runs`).split("\n");
  const isOurs = (run: string): boolean => winners.includes(run);
  if (lines.filter(isOurs).join() !== winners.join())
    tell(
      "what every step has left is in the thread's commit",
      JSON.stringify({ thread, commit, winners, lines }),
    );
  const strange = lines.filter((line) => !isOurs(line) && !starts.some(({ run }) => run === line));
  if (strange.length > 0) tell("a commit has what runs have left, and nothing else", strange.join());
  count("steps whose files are in the thread's commit", lines.filter(isOurs).length);
}
