import { join } from "node:path";
import { TYPE } from "@uncaged/workflow-store";
import type { Random } from "../frame.js";
import type { Breach } from "../invariants.js";
import { ended, type Runtime, type World } from "../world.js";
import { type Act, activeThreads, type Book, type Interval, isDone, see } from "./book.js";

// Allowed exit codes: done; the agent failed on purpose or was killed (6); the thread has ended (8); busy (75). Never
// "not found" (3) for a thread that exists, and never a bug (1).
const UNKNOWN_TYPE = 4;
const READS = [0];
const WRITES = [0, 75];
/** `thread kill` signals the holder of the lock, which may just have let it go: then it ends as a shell says it. */
const TERMINATED = 143;
const STEPS = [0, 6, 8, 75, TERMINATED];

/** gc without grace can remove a node that is about to be referenced: then exit 7, with nothing changed. */
const OUTRUN = "perhaps because of a gc at the same time; no thread was created";

/** Eight of the sixteen first digits that a token can have. */
const HALF_OF_THE_TOKENS = "*[0-7]";

type Document = { readonly thread: string; readonly head: string; readonly done: boolean };
type Item = Document & { readonly error?: string };
type StepsDocument = { readonly thread: string; readonly steps: readonly { readonly hash: string }[] };

export type ActMaker = (world: World, book: Book, random: Random) => Act;

function act<Answer>(
  name: string,
  args: readonly string[],
  allowed: readonly number[],
  learn: (answer: Answer, when: Interval) => readonly Breach[] = () => [],
): Act {
  const read: Act["learn"] = ({ stdout }, when) => {
    try {
      return learn(JSON.parse(stdout), when);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return [{ promise: "every answer is one JSON document", evidence: `${args.join(" ")}: ${stdout}` }];
    }
  };
  return { name, args, env: {}, allowed, excuse: null, learn: read };
}

export const start: ActMaker = (_world, book, random) => {
  const args = ["thread", "start", "turns", "-p", `Task ${random.below(1e9)}`];
  const made = act<Document>("start", args, WRITES, ({ thread }) => {
    book.threads.add(thread);
    book.origins.set(thread, null);
    return [];
  });
  return { ...made, excuse: OUTRUN };
};

export const fork: ActMaker = (_world, book, random) => {
  const heads = [...book.heads];
  const head = heads[random.below(heads.length)] ?? "";
  const made = act<Document>("fork", ["thread", "fork", head], WRITES, ({ thread }) => {
    book.threads.add(thread);
    book.origins.set(thread, head);
    return [];
  });
  return { ...made, excuse: OUTRUN };
};

/** Two texts under one name, so that putting also re-points. */
export const put: ActMaker = (world, _book, random) =>
  act("put", ["workflow", "put", join(world.cwd, random.pick(["first", "second"]), "turns.yaml")], WRITES);

/** One step of a thread, by an agent that does its work. */
export function stepOf(world: World, book: Book, thread: string, options: readonly string[]): Act {
  const args = ["thread", "step", thread, ...options, ...world.agent];
  return act<Document>("step", args, STEPS, (said, when) => see(book, "step", said, when));
}

export const step: ActMaker = (world, book, random) => {
  const waits = random.below(6) === 0;
  const made = stepOf(world, book, youngOne(book, random), waits ? ["--wait", "20"] : []);
  return random.below(5) === 0 ? { ...made, env: { UWF_FAULTS_FAIL: HALF_OF_THE_TOKENS } } : made;
};

export const kill: ActMaker = (_world, book, random) => {
  const orphan = random.below(2) === 0 ? book.orphans.pop() : undefined;
  const thread = orphan ?? youngOne(book, random);
  return act("kill", ["thread", "kill", thread], [0, 8, 75], (_said, when) => {
    isDone(book, thread, "kill", when);
    return [];
  });
};

export function showOf(book: Book, thread: string): Act {
  return act<Document>("show", ["thread", "show", thread], READS, (said, when) =>
    see(book, "show", said, when),
  );
}

export const show: ActMaker = (_world, book, random) => showOf(book, anyOne(book, random));

export const steps: ActMaker = (_world, book, random) => {
  const args = ["thread", "steps", anyOne(book, random)];
  return act<StepsDocument>("steps", args, READS, (said, when) => {
    const head = said.steps.at(-1)?.hash ?? "";
    return see(book, "steps", { thread: said.thread, head, done: null }, when);
  });
};

export const listAll: ActMaker = (_world, book) => {
  const known = [...book.threads];
  return act<readonly Item[]>("list", ["thread", "list", "--all"], READS, (items, when) => {
    const missing = known.filter((thread) => !items.some((item) => item.thread === thread));
    return [...missing.map((thread) => lost(thread, "thread list --all")), ...look(book, items, when)];
  });
};

function look(book: Book, items: readonly Item[], when: Interval): readonly Breach[] {
  const damaged = items.filter(({ error }) => error !== undefined);
  return [
    ...damaged.map(({ thread, error }) => ({
      promise: "no thread is damaged",
      evidence: `${thread}: ${error}`,
    })),
    ...items.flatMap((item) => see(book, "list", item, when)),
  ];
}

function lost(thread: string, where: string): Breach {
  return { promise: "no thread is lost", evidence: `${thread} is missing from ${where}` };
}

/** An unreferenced node, for gc. */
export const litter: ActMaker = (_world, _book, random) => {
  const payload = JSON.stringify({ text: `Litter ${random.below(1e9)}` });
  // The type comes with the first reply of an agent: until then it is unknown.
  return act("litter", ["cas", "put", TYPE.content, payload], [0, UNKNOWN_TYPE, 75]);
};

/** Collects what no root reaches: what is older than any command takes, or everything that no step under way has put. */
export const collect: ActMaker = (_world, book, random) => {
  const grace = random.pick(["10s", "0s"]);
  return act<Collected>("gc", ["cas", "gc", "--yes", "--grace", grace], WRITES, ({ removed }) => {
    book.collected += removed;
    return [];
  });
};

/** Moves all nodes into a pack, while others read, write and collect. */
export const packNodes: ActMaker = (_world, book) =>
  act<{ readonly packed: number }>("pack", ["cas", "pack"], WRITES, ({ packed }) => {
    book.packed += packed;
    return [];
  });

type Collected = { readonly removed: number };

/** One of the youngest active threads: where few are chosen from, many meet. */
function youngOne(book: Book, random: Random): string {
  const active = activeThreads(book).slice(-4);
  return active[random.below(active.length)] ?? anyThread(book, random);
}

function anyOne(book: Book, random: Random): string {
  return random.below(2) === 0 ? youngOne(book, random) : anyThread(book, random);
}

function anyThread(book: Book, random: Random): string {
  const threads = [...book.threads];
  return threads[random.below(threads.length)] ?? "";
}

const STORE_DAMAGED = 7;

/** How one process is run. */
export type Manner = {
  readonly runtime: Runtime;
  /** ms after its start at which it gets SIGKILL, if it still runs; `null` lets it live. */
  readonly killAfter: number | null;
};

type Performed = {
  readonly outcome: "killed" | "done" | "refused";
  readonly code: number | null;
  readonly breaches: readonly Breach[];
};

/** Runs one act as a process and checks its exit code. */
export async function perform(world: World, act: Act, { runtime, killAfter }: Manner): Promise<Performed> {
  const began = performance.now();
  const child = world.start(act.args, { env: act.env, runtime });
  // The launcher becomes uwf, so this is uwf; its agent is in a group of its own and lives on.
  const timer = killAfter === null ? null : setTimeout(() => child.kill("SIGKILL"), killAfter);
  const ran = await ended(child);
  if (timer !== null) clearTimeout(timer);
  const { signal, stderr } = ran;
  const code = signal === "SIGTERM" ? TERMINATED : ran.code;
  if (signal === "SIGKILL" && killAfter !== null) return { outcome: "killed", code, breaches: [] };
  if (code === 0) {
    const breaches = act.learn(ran, { began, ended: performance.now() });
    return { outcome: "done", code, breaches };
  }
  const line = `uwf ${act.args.join(" ")} (${runtime}) ended with ${code ?? signal}: ${stderr.trim()}`;
  return { outcome: "refused", code, breaches: codeBreaches(act, code, line) };
}

function codeBreaches(act: Act, code: number | null, line: string): readonly Breach[] {
  if (code !== null && act.allowed.includes(code)) return [];
  if (code === STORE_DAMAGED && act.excuse !== null && line.includes(act.excuse)) return [];
  const promise = code === 3 ? "what exists is never not found" : "a command ends as its table says";
  return [{ promise, evidence: line }];
}
