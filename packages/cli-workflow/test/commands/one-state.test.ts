import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore, type Hash, putSchema, type Store } from "@uncaged/json-cas";
import { tryLock } from "@uncaged/json-cas-fs";
import type { ThreadId, ThreadPsItem, ThreadTreeItem } from "@uncaged/workflow-protocol";
import { limitsStamp, newRun, openStorage, putNode, type Storage } from "@uncaged/workflow-store";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Host } from "../../src/io.js";
import { readsOf } from "../../src/ui/reads.js";
import { moveElsewhere } from "../operator/support.js";
import type { Ran } from "../support/ended.js";
import { threadOf, writeStore } from "../support/long.js";
import { served } from "../support/served.js";
import { nodeFile, reap, type Sandbox, sandbox } from "../support/uwf.js";

// Threads of which everything is written as uwf writes it, in every combination: what a screen says of one of them, every
// other screen says too.

/** What there is of a thread. */
type Facts = {
  /** The head: its start, a step that leads on, or one after which no condition holds. */
  readonly at: "start" | "made" | "unsaid";
  readonly end: "end" | "failed" | "killed" | null;
  /** Decided, but not archived. */
  readonly pending: boolean;
  readonly pause: "resume" | "remote" | null;
  readonly hold: "answer" | "threads" | "change" | "limit" | null;
  /** A step has noted that no decision leads on. */
  readonly noted: boolean;
  /** Runs that the log tells of, oldest first. */
  readonly failed: readonly ("here" | "before" | "interrupted")[];
  /** Its agent and its uwf live, or one of them, or neither; or its uwf is of another machine. */
  readonly run: "both" | "uwf" | "agent" | "neither" | "elsewhere" | null;
  /** That run was started on an earlier head: its step is recorded. */
  readonly isRunRecorded: boolean;
  /** Who holds the thread between two runs. */
  readonly lock: "alive" | "dead" | "elsewhere" | null;
  readonly damage: "head" | "start" | "workflow" | "output" | "hold" | "ending" | null;
  readonly isChild: boolean;
  /** Its nodes are older than itself. */
  readonly isFork: boolean;
};

const PLAIN: Facts = {
  ...{ at: "made", end: null, pending: false, pause: null, hold: null, noted: false, failed: [], run: null },
  isRunRecorded: false,
  ...{ lock: null, damage: null, isChild: false, isFork: false },
};

/** Mostly none: a thread with all of it is `damaged` or has ended, and nothing else is seen of it. */
const seldom = <T>(weight: number, ...all: readonly T[]): fc.Arbitrary<T | null> =>
  fc.oneof(
    { weight: 10 - weight, arbitrary: fc.constant(null) },
    { weight, arbitrary: fc.constantFrom(...all) },
  );

const FACTS: fc.Arbitrary<Facts> = fc.record({
  at: fc.constantFrom("start", "made", "unsaid"),
  end: seldom(2, "end", "failed", "killed"),
  pending: fc.boolean(),
  pause: seldom(2, "resume", "remote"),
  hold: seldom(3, "answer", "threads", "change", "limit"),
  noted: fc.boolean(),
  failed: fc.array(fc.constantFrom("here", "before", "interrupted"), { maxLength: 2 }),
  run: seldom(3, "both", "uwf", "agent", "neither", "elsewhere"),
  isRunRecorded: fc.boolean(),
  lock: seldom(2, "alive", "dead", "elsewhere"),
  damage: seldom(2, "head", "start", "workflow", "output", "hold", "ending"),
  isChild: fc.boolean(),
  isFork: fc.boolean(),
});

/** Of which screens once said different words. */
const FOUND: readonly Facts[] = [
  { ...PLAIN, pause: "resume", damage: "hold" },
  { ...PLAIN, failed: ["here", "before"] },
  { ...PLAIN, run: "both", damage: "workflow" },
  { ...PLAIN, run: "both", isRunRecorded: true },
  { ...PLAIN, run: "agent", isRunRecorded: true },
  { ...PLAIN, end: "end", damage: "start" },
];

const TEXTS = { description: "d", goal: "g", capabilities: [], agent: null, procedure: "p", output: "o" };

/** A maker, then a checker who may say nothing: then no transition can be taken. */
async function putLoop(store: Store, description: string): Promise<Hash> {
  const meta = await putSchema(store, { type: "object", properties: { approved: { type: "boolean" } } });
  const says = (value: boolean) => ({ description: "d", expression: `steps[-1].output.approved = ${value}` });
  return putNode(store, "workflow", {
    ...{ name: "loop", description, conditions: { yes: says(true), no: says(false) } },
    roles: { maker: { ...TEXTS, meta }, checker: { ...TEXTS, meta } },
    graph: {
      $START: [{ role: "maker", condition: null }],
      maker: [{ role: "checker", condition: null }],
      checker: [
        { role: "maker", condition: "no" },
        { role: "$END", condition: "yes" },
      ],
    },
  });
}

type Nodes = Readonly<Record<"head" | "start" | "workflow" | "output", Hash>>;

async function putNodes(store: Store, index: number, { at }: Facts): Promise<Nodes> {
  const meta = await putSchema(store, { type: "object", properties: { approved: { type: "boolean" } } });
  // One of its own, so that no other thread is damaged with it.
  const workflow = await putLoop(store, `for thread ${index}`);
  const start = await putNode(store, "startNode", { workflow, prompt: `task ${index}` });
  const output = await store.put(meta, { of: index });
  const detail = await putNode(store, "content", { text: "---\n---\n" });
  let head: Hash | null = null;
  for (const role of { start: [], made: ["maker"], unsaid: ["maker", "checker"] }[at])
    head = await putNode(store, "stepNode", { start, prev: head, role, output, detail, agent: "uwf-test" });
  return { head: head ?? start, start, workflow, output };
}

/** The role that comes next; where none does, the one that has brought the thread there. */
const ROLE = { start: "maker", made: "checker", unsaid: "checker" } as const;

/** The token of runs whose agent lives. */
const LIVING = "living";

type World = { readonly box: Sandbox; readonly storage: Storage; readonly first: Placed };

type Placed = Nodes & { readonly thread: ThreadId; readonly facts: Facts };

function place({ box, storage, first }: World, placed: Placed): void {
  const { thread, facts, head } = placed;
  const { at, end, pending, pause, hold, noted, failed, run, lock, damage, isChild } = facts;
  const role = ROLE[at];
  const now = Date.now();
  const file = (name: string, record: object | string): void =>
    void box.write(join(box.root, name), typeof record === "string" ? record : `${JSON.stringify(record)}\n`);
  const line = (name: string, record: object): void => {
    const path = join(box.root, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, `${JSON.stringify(record)}\n`, { flag: "a" });
  };
  const ended = { head, reason: end, completedAt: now };
  if (end === null || pending) line("threads.yaml.lines", [thread, head]);
  if (end !== null && pending) file(`runs/${thread}/ending`, ended);
  if (end !== null && !pending) line("history.jsonl", { thread, workflow: placed.workflow, ...ended });
  if (pause !== null)
    file(`runs/${thread}/pause.json`, { since: now, why: null, remote: pause === "remote" });
  if (hold !== null) {
    const reached = { of: thread, limit: "maxSteps", max: 1, spent: 1, stamp: limitsStamp(storage, thread) };
    const awaited = { thread: first.thread, head: first.head, held: false };
    file(`runs/${thread}/hold.json`, {
      ...{ head, for: hold, role, agent: null, since: now, told: true, config: "", at: now },
      ...{ question: hold === "limit" ? "more?" : null, threads: hold === "threads" ? [awaited] : [] },
      ...{ until: hold === "change" ? now + 3_600_000 : null, limit: hold === "limit" ? reached : null },
    });
  }
  // What a step has noted is true: it has read the output.
  if (noted && at === "unsaid" && damage !== "output") {
    const failure = { code: "NO_TRANSITION", message: "m", hint: "h", role, timestamp: now };
    file(`runs/${thread}/stuck.json`, { head, ...failure });
  }
  for (const where of failed) {
    const from = where === "before" ? first.head : head;
    const code = where === "interrupted" ? "INTERRUPTED" : "AGENT_FAILED";
    line(`logs/${new Date().toISOString().slice(0, 10)}.jsonl`, {
      ...{ tag: "00000000", content: "it failed", timestamp: Date.now(), thread },
      ...{ outcome: "failed", head: from, code, role, run: `${thread} ${Math.random()}` },
    });
  }
  if (run !== null) {
    const token = run === "both" || run === "agent" ? LIVING : "gone";
    const from = facts.isRunRecorded ? first.head : head;
    newRun(storage, thread, { token, head: from, role, command: ["uwf-test"], attempt: 1 });
  }
  const holder =
    run === "both" || run === "uwf" ? "alive" : run === "elsewhere" ? run : run === null ? lock : null;
  if (holder !== null) {
    const path = join(box.root, "locks", `thread-${thread}.lock`);
    mkdirSync(join(box.root, "locks"), { recursive: true });
    tryLock(path);
    if (holder === "elsewhere") moveElsewhere(path);
    if (holder === "dead")
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), startTime: "1" }));
  }
  if (damage === "hold" || damage === "ending")
    file(`runs/${thread}/${damage === "hold" ? "hold.json" : "ending"}`, "{}");
  if (isChild) {
    const item = { child: thread, parent: first.thread, head: first.head, role: "checker", item: null };
    line("children.jsonl", { ...item, at: now });
  }
}

const BEGIN = Date.parse("2026-01-31T08:00:00Z");

/** A storage root with a plain thread, and then these. */
async function build(all: readonly Facts[]): Promise<World & { readonly threads: readonly Placed[] }> {
  const box = sandbox();
  mkdirSync(box.root, { recursive: true });
  const store = createMemoryStore();
  const threads: Placed[] = [];
  for (const [index, facts] of [PLAIN, ...all].entries()) {
    const nodes = await putNodes(store, index, facts);
    const thread = threadOf(facts.isFork ? Date.now() : BEGIN + index, index) as ThreadId;
    threads.push({ thread, facts, ...nodes });
  }
  writeStore(box.root, store);
  const [first] = threads;
  if (first === undefined) throw new Error("there is always one");
  const world = { box, storage: openStorage(box.root, { now: Date.now }), first };
  for (const placed of threads) {
    place(world, placed);
    const { damage } = placed.facts;
    if (damage !== null && damage !== "hold" && damage !== "ending") rmSync(nodeFile(box, placed[damage]));
  }
  const lines = readFileSync(join(box.root, "threads.yaml.lines"), "utf8").trim().split("\n");
  const heads = lines.map((line) => JSON.parse(line) as readonly [string, string]);
  box.write(join(box.root, "threads.yaml"), heads.map(([thread, head]) => `${thread}: "${head}"\n`).join(""));
  rmSync(join(box.root, "threads.yaml.lines"));
  return { ...world, threads };
}

/** In this process, whatever the test is called: it asks a hundred times. */
async function ask({ box }: World, ...args: readonly string[]): Promise<Ran> {
  const ran = await served(args, { env: box.environment, cwd: box.cwd, stdin: undefined });
  if (ran === null) throw new Error("one command after the other");
  return ran;
}

/** A function that gives what a screen says of a thread. */
type Screen = (thread: ThreadId) => string | undefined;

async function screensOf(world: World): Promise<Readonly<Record<string, Screen>>> {
  const { box, storage } = world;
  const list = (await ask(world, "thread", "list", "--all", "--format", "text")).stdout;
  const trees = JSON.parse(
    (await ask(world, "thread", "list", "--tree", "--all", "--format", "json")).stdout,
  );
  const inTrees = new Map<string, string>();
  const walk = ({ thread, state, children }: ThreadTreeItem): void => {
    inTrees.set(thread, state);
    for (const child of children) walk(child);
  };
  for (const tree of trees) walk(tree);
  const warn = (): void => {};
  const ui = readsOf({ context: { warn, host: { now: Date.now } as Host }, storage });
  const overview = await ui.overview(1000);
  const rows = overview.ok
    ? (overview.value as { readonly threads: readonly { readonly thread: string; readonly state: string }[] })
        .threads
    : [];
  const documents = new Map<string, string>();
  for (const { thread } of rows) {
    const document = await ui.thread(thread as ThreadId);
    if (document.ok) documents.set(thread, (document.value as { readonly state: string }).state);
  }
  await ask(world, "report", "-o", "pages");
  const page = readFileSync(join(box.cwd, "pages/index.html"), "utf8").split("<tr>");
  return {
    list: (thread) => new RegExp(`^\\S*${thread.slice(-4)} +\\S+ +(\\w+)`, "m").exec(list)?.[1],
    tree: (thread) => inTrees.get(thread),
    ui: (thread) => rows.find((row) => row.thread === thread)?.state,
    // The page of one thread is not there where anything of it is damaged.
    page: (thread) => documents.get(thread) ?? rows.find((row) => row.thread === thread)?.state,
    report: (thread) => {
      const row = page.find(
        (each) => each.includes(`threads/${thread}.html"><code>`) || each.includes(`<code>${thread}<`),
      );
      return /<span class="state (\w+)">/.exec(row ?? "")?.[1];
    },
  };
}

/** One that cannot be read at all is a failure of the command. */
async function shown(world: World, thread: ThreadId): Promise<string | undefined> {
  const { code, stdout } = await ask(world, "thread", "show", thread, "--format", "text");
  return code === 7 ? "damaged" : /^state +(\w+)/m.exec(stdout)?.[1];
}

const OVER = ["ended", "failed", "killed"];

/** The states in which `ps`, `next` and `doctor`, which print no column of states, may leave a thread. */
async function allowed(world: World): Promise<(placed: Placed) => Promise<readonly string[]>> {
  const items: readonly ThreadPsItem[] = JSON.parse((await ask(world, "thread", "ps")).stdout);
  const findings = (await ask(world, "doctor")).stdout;
  return async ({ thread, facts }) => {
    const { code, stdout } = await ask(world, "thread", "next", thread, "--format", "text");
    const item = items.find((each) => each.thread === thread);
    const run = item?.run == null ? null : item.uwf === null ? "abandoned" : "running";
    // It decides, which reads more than who runs and who waits.
    if (code === 7)
      return facts.damage === "output" ? ["damaged", ...OVER, "running", "abandoned", "held"] : ["damaged"];
    const [, but = null] = /^but it (.*)$/m.exec(stdout) ?? [];
    const said = but === null ? null : (/^is (running|abandoned)$/.exec(but)?.[1] ?? "held");
    if (said !== null) return run === null || run === said ? [said] : [];
    const isStuck = code === 5 || findings.includes(`thread ${thread} is stuck`);
    // The agent of a thread that has ended may still be there.
    return [...OVER, ...(run !== null ? [] : isStuck ? ["failing"] : ["active", "failing"])];
  };
}

it("says one word for a thread on every screen, whatever is known of it", { timeout: 120_000 }, async () => {
  reap(spawn("sleep", ["600"], { env: { ...process.env, UWF_RUN: LIVING }, stdio: "ignore" }));
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(FACTS, { minLength: 28, maxLength: 28 }), async (all) => {
      const world = await build([...FOUND, ...all]);
      const screens = await screensOf(world);
      const allows = await allowed(world);
      for (const placed of world.threads) {
        const { thread, facts } = placed;
        const word = (await shown(world, thread)) ?? "none";
        const others = Object.entries(screens).map(([name, screen]) => [name, screen(thread)] as const);
        const same = others.map(([name]) => [name, word] as const);
        expect({ facts, ...Object.fromEntries(others) }).toEqual({ facts, ...Object.fromEntries(same) });
        expect(await allows(placed), JSON.stringify({ thread, facts })).toContain(word);
        seen.add(word);
      }
    }),
    { seed: 3801, numRuns: 1, endOnFailure: true },
  );
  const every = ["abandoned", "active", "damaged", "ended", "failed", "failing", "held", "killed", "running"];
  expect([...seen].sort()).toEqual(every);
});
