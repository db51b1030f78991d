import type { ChildProcess } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunFault } from "@uncaged/workflow-engine";
import {
  type EventKind,
  eventKindIn,
  type Held,
  type HistoryReason,
  type StepEvent,
  type StoppedWhy,
} from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { killNow, startWorking } from "../operator/support.js";
import { judged, MADE, mockWith } from "../sessions/support.js";
import { startAtGate, waiter } from "../support/gate.js";
import { NO_FALLBACK, startStuck } from "../support/stuck.js";
import { ended, MOCK, type Ran, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startMade, startTurns, TURNS, zoo } from "../support/workflows.js";

// Whoever follows a thread from another process gets the lines that the process prints which takes its steps. Each table has a
// case for every member of a type: a new one does not compile without.

/** Who prints a line: both, or only the process itself, of what no other can see, and of how its own command ends. */
const WHO: Record<StepEvent["event"], "both" | "own"> = {
  started: "both",
  agent: "both",
  output: "own",
  run: "both",
  step: "both",
  stuck: "both",
  held: "both",
  ended: "both",
  failed: "own",
  stopped: "own",
};

/** The time of these is the time of their line in the log. */
const LOGGED: ReadonlySet<string> = new Set(["agent", "run", "step", "stuck"]);

type Line = { readonly event: StepEvent["event"] } & Readonly<Record<string, unknown>>;

/** A thread, and a command that takes steps of it. */
type Situation = {
  readonly thread: string;
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Once both have begun. */
  readonly meanwhile?: (own: ChildProcess) => Promise<void>;
};

type Case = (box: Sandbox) => Promise<Situation>;

const step = (thread: string, agent: string, ...more: readonly string[]): Situation => ({
  thread,
  words: ["thread", "step", thread, "--agent", agent, ...more],
});

/** A thread on which an agent does something. */
const turns =
  (agent: string, ...more: readonly string[]): Case =>
  async (box) =>
    step(await startTurns(box), agent, ...more);

const OWN_ENV = { UWF_BACKOFF_SECONDS: "0" };

/** A step that its uwf has left, with its agent or without. */
async function leftRun(box: Sandbox, agent: "done" | "killed"): Promise<string> {
  const thread = await startTurns(box);
  const { uwf, go } = await startWorking(box, thread);
  await killNow(uwf);
  const { running } = await box.json<{ running: { pid: number } }>(["thread", "show", thread]);
  if (agent === "done") go();
  else process.kill(-running.pid, "SIGKILL");
  return thread;
}

/** A thread at a head from which no decision leads on after the next step. */
async function beforeStuck(box: Sandbox): Promise<Situation> {
  const agent = mockWith(box, { maker: [{ reply: MADE }], checker: [{ reply: "---\nscore: a\n---\n" }] });
  const thread = await startStuck(box, NO_FALLBACK, agent);
  return step(thread, agent);
}

/** A step whose agent works until it is told to go on. */
function working(box: Sandbox, thread: string, meanwhile: NonNullable<Situation["meanwhile"]>): Situation {
  const go = join(box.cwd, "go");
  return {
    ...step(thread, zoo("waits", go)),
    meanwhile: async (own) => {
      await until("the agent works", () => existsSync(`${go}.started`));
      await meanwhile(own);
    },
  };
}

/** The thread is killed while its agent works. */
const killed: Case = async (box) => {
  const thread = await startTurns(box);
  return working(box, thread, async () => {
    await box.json(["thread", "kill", thread]);
  });
};

async function runToEnd(box: Sandbox, first: object = {}): Promise<Situation> {
  const thread = await startTurns(box);
  const usage = { inputTokens: 7, outputTokens: 3, costUsd: 0.05 };
  const maker = [{ reply: MADE, usage, ...first }, { reply: MADE }];
  const agent = mockWith(box, { maker, checker: [{ reply: judged(false) }, { reply: judged(true) }] });
  return { thread, words: ["thread", "run", thread, "--agent", agent] };
}

const waits =
  (record: object): Case =>
  async (box) => {
    const thread = await startTurns(box);
    return step(thread, waiter(box, JSON.stringify({ question: null, threads: [], until: null, ...record })));
  };

/** `null`: no step has such an event, or none that is printed. */
const KINDS: Record<EventKind, Case | null> = {
  agent: turns(zoo("valid")),
  step: async (box) => step((await startMade(box)).thread, zoo("rejecting")),
  adopted: async (box) => step(await leftRun(box, "done"), zoo("garbage"), "--wait=60"),
  failed: turns(zoo("exit3"), "--retries", "0"),
  abandoned: async (box) => step(await leftRun(box, "killed"), zoo("valid"), "--wait=60"),
  waiting: waits({ for: "answer", question: "May I?" }),
  answered: async (box) => {
    const thread = await startAtGate(box, "{ human: { timeout: 1s, default: { approved: false } } }");
    await new Promise((resolve) => setTimeout(resolve, 1100));
    return { thread, words: ["thread", "step", thread] };
  },
  stuck: beforeStuck,
  ended: (box) => runToEnd(box),
  killed,
  copied: null,
  started: null,
  forked: null,
  removed: null,
  paused: null,
  resumed: null,
  noted: null,
  limited: null,
  unlocked: null,
  named: null,
};

const HELD: Record<Held["for"], Case> = {
  answer: async (box) => {
    const thread = await startAtGate(box);
    return { thread, words: ["thread", "step", thread] };
  },
  threads: async (box) => {
    const { thread, head } = await startMade(box, "the other");
    return waits({ for: "threads", threads: [{ thread, head, held: false }] })(box);
  },
  change: waits({ for: "change" }),
  limit: async (box) => {
    const { thread } = await startMade(box);
    await box.json(["thread", "limit", thread, "--max-steps", "1"]);
    return step(thread, zoo("valid"));
  },
  resume: async (box) => {
    const thread = await startTurns(box);
    await box.json(["thread", "pause", thread, "-m", "lunch"]);
    return step(thread, zoo("valid"));
  },
  remote: async (box) => {
    const { thread } = await startMade(box);
    const pause = JSON.stringify({ since: Date.now(), why: null, remote: true });
    writeFileSync(join(box.root, "runs", thread, "pause.json"), pause);
    return step(thread, zoo("valid"));
  },
};

const REASONS: Record<HistoryReason, Case> = {
  end: (box) => runToEnd(box),
  failed: async (box) => {
    const failing = TURNS.replace("role: $END", "role: $FAIL");
    await box.json(["workflow", "put", box.write("turns.yaml", failing)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "x"]);
    return { thread, words: ["thread", "run", thread, "--agent", zoo("valid")] };
  },
  killed,
};

const STOPPED: Record<StoppedWhy, Case> = {
  steps: turns(zoo("valid")),
  until: async (box) => {
    const thread = await startTurns(box);
    return { thread, words: ["thread", "run", thread, "--until", "checker", "--agent", zoo("valid")] };
  },
  cost: async (box) => {
    const situation = await runToEnd(box);
    return { ...situation, words: [...situation.words, "--max-cost", "0.01"] };
  },
  time: async (box) => {
    const situation = await runToEnd(box, { delayMs: 1100 });
    return { ...situation, words: [...situation.words, "--timeout", "1s"] };
  },
};

/** An agent that config.yaml names. */
const configured =
  (agent: object): Case =>
  async (box) => {
    box.write(join(box.root, "config.yaml"), JSON.stringify({ agents: { agent }, defaultAgent: "agent" }));
    return step(await startTurns(box), "agent", "--retries", "0");
  };

/** `null`: it takes a broken disk. */
const RUNS: Record<RunFault["code"], Case | null> = {
  AGENT_FAILED: turns("sh -c 'echo no >&2; exit 1'", "--retries", "0"),
  AGENT_REFUSED: turns(`${MOCK} --scenario nowhere.json`),
  AGENT_IO_FAILED: turns("sh -c 'exit 74'"),
  AGENT_BAD_RESULT: turns(zoo("garbage")),
  AGENT_TIMEOUT: configured({ command: "sh", args: ["-c", "exec sleep 60"], timeoutSeconds: 1 }),
  // Linux starts nothing with an argument of this length.
  AGENT_NOT_STARTABLE: configured({ command: "true", args: ["x".repeat(200_000)] }),
  INTERRUPTED: async (box) => {
    const thread = await startTurns(box);
    return working(box, thread, async (own) => void own.kill("SIGTERM"));
  },
  IO_FAILED: null,
};

const MORE: Readonly<Record<string, Case>> = {
  "a failed agent with a retry left": async (box) => {
    const once = `sh -c '[ -e tried ] && exec "$@"; touch tried; exit 3' sh ${zoo("valid")}`;
    return { ...step(await startTurns(box), once, "--retries", "1"), env: OWN_ENV };
  },
  "an agent that fails for good": async (box) => ({
    ...step(await startTurns(box), zoo("exit3"), "--retries", "2"),
    env: OWN_ENV,
  }),
  "a thread from which no decision leads on": async (box) => {
    const before = await beforeStuck(box);
    await box.uwf(before.words);
    return before;
  },
  "a thread that is paused while its agent works": async (box) => {
    const thread = await startTurns(box);
    const situation = working(box, thread, async () => {
      await box.json(["thread", "pause", thread]);
      writeFileSync(join(box.cwd, "go"), "");
    });
    return { ...situation, words: situation.words.map((word) => (word === "step" ? "run" : word)) };
  },
};

function linesIn(text: string): readonly Line[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));
}

const shared = (lines: readonly Line[]): readonly object[] =>
  lines
    .filter(({ event }) => WHO[event] === "both")
    .map(({ timestamp, ...line }) => (LOGGED.has(line.event) ? { ...line, timestamp } : line));

/** A command's lines and those of a follower, which has begun before it; the follower ends with the thread. */
async function bothSides(box: Sandbox, given: Situation) {
  const { thread, words, env = {}, meanwhile } = given;
  const follower = reap(box.start(["thread", "live", thread, "--events"]));
  let seen = "";
  follower.stdout?.on("data", (chunk: Buffer) => {
    seen += chunk.toString();
  });
  const followed = ended(follower);
  const sees = (event: string) => seen.includes(`{"event":"${event}"`);
  await until("it follows", () => sees("started"));
  const run = async (): Promise<Ran> => {
    const own = reap(box.start([...words, "--events"], { env }));
    const over = ended(own);
    await meanwhile?.(own);
    return over;
  };
  const own = linesIn((await run()).stdout);
  const isOver = own.some(({ event }) => event === "ended");
  if (own.some(({ event }) => event === "held")) await until("it is held", () => sees("held"));
  // A follower that has seen this has seen everything before it.
  if (!isOver) {
    rmSync(join(box.root, "runs", thread, "pause.json"), { force: true });
    await box.json(["thread", "kill", thread]);
  }
  await followed;
  const lines = linesIn(seen).filter((line) => line.thread === thread);
  return { own, followed: isOver ? lines : lines.slice(0, -1) };
}

/** Whether a case is what its name says, by the process's own lines and the log. */
type Proof = (name: string, own: readonly Line[], logged: readonly (EventKind | null)[]) => boolean;

const TABLES: readonly (readonly [string, Readonly<Record<string, Case | null>>, Proof])[] = [
  ["an event of the log", KINDS, (name, _own, logged) => logged.some((kind) => kind === name)],
  ["a thread that is held for", HELD, (_name, own) => own.some(({ event }) => event === "held")],
  ["a thread that has ended as", REASONS, (name, own) => own.some(({ reason }) => reason === name)],
  ["a command that stops for", STOPPED, (name, own) => own.at(-1)?.why === name],
  [
    "a run that ends with",
    RUNS,
    (name, own) => own.some(({ event, code }) => event === "run" && code === name),
  ],
  ["", MORE, () => true],
];

describe.each(TABLES)("%s", (_table, cases, proves) => {
  const rows = Object.entries(cases).flatMap(([name, make]) =>
    make === null ? [] : [[name, make] as const],
  );

  it.each(rows)("%s: a follower prints the lines of the process that takes the step", async (name, make) => {
    const box = sandbox();
    const situation = await make(box);
    const { own, followed } = await bothSides(box, situation);
    const log = await box.json<readonly Line[]>(["log", "--thread", situation.thread]);
    expect([name, proves(name, own, log.map(eventKindIn))]).toEqual([name, true]);
    expect(shared(followed)).toEqual(shared(own));
  });
});

it("every event that is printed is among them", async () => {
  const names = new Set<string>();
  for (const make of [KINDS.failed, KINDS.step, KINDS.stuck, HELD.answer, REASONS.end]) {
    const box = sandbox();
    if (make === null) continue;
    const { followed } = await bothSides(box, await make(box));
    for (const { event } of followed) names.add(event);
  }
  const both = Object.entries(WHO).flatMap(([event, who]) => (who === "both" ? [event] : []));
  expect([...names].sort()).toEqual(both.sort());
});
