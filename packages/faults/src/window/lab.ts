import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createMemoryStore, type JsonValue, putSchema, type Store } from "@uncaged/json-cas";
import type {
  CasRef,
  Fault,
  ModeratorContext,
  Result,
  StepContext,
  ThreadId,
} from "@uncaged/workflow-protocol";
import {
  type CachedStorage,
  type CacheLocation,
  cacheSteps,
  openHistory,
  openStorage,
  putContent,
  putStart,
  putStep,
  putWorkflow,
  readChain,
  readContext,
  type WholeHistory,
  wholeHistory,
} from "@uncaged/workflow-store";
import type { Random } from "../frame.js";

/** A step of role `a` or `b` with an output of any shape. */
function randomStep(random: Random): RandomStep {
  return {
    role: random.pick(["a", "b"] as const),
    output: randomOutput(random),
    agent: random.pick(["uwf-mock", "uwf-other"] as const),
  };
}

type RandomStep = { readonly role: string; readonly output: JsonValue; readonly agent: string };

function randomOutput(random: Random): JsonValue {
  const all = {
    ok: random.next() < 0.5,
    n: random.below(4),
    text: random.pick(["a", "abba", "", "x\ny"] as const),
    items: Array.from({ length: random.below(4) }, () => ({
      n: random.below(4),
      name: "a",
      ok: random.next() < 0.5,
    })),
    deep: random.pick([null, { n: 1, ok: true }, [[1], [2, [3]]], [], {}] as const),
    steps: [{ role: "a", output: { n: random.below(4) } }],
    role: "b",
  };
  return Object.fromEntries(Object.entries(all).filter(() => random.next() < 0.7));
}

/** A node that could be a head. */
type WindowContext = {
  readonly start: CasRef;
  readonly head: CasRef;
  readonly length: number;
  /** What conditions see of it; `null` for a start. */
  readonly step: StepContext | null;
};

/** Chains of two starts, which grow and fork; their nodes are in memory. */
type Chains = {
  readonly cas: Store;
  /** One step behind a place. */
  readonly extend: (place: WindowContext) => Promise<WindowContext>;
  /** Where the thread stands next, at least one step long: mostly it has gone on, sometimes back or aside. */
  readonly move: () => Promise<WindowContext>;
};

const LONGEST = 16;

async function openChains(random: Random): Promise<Chains> {
  const cas = createMemoryStore();
  const [anything, detail] = [await putSchema(cas, { title: "anything" }), await putContent(cas, "a reply")];
  const starts = await startsIn(cas);
  const places = [...starts];
  const extend = async ({ start, head, length }: WindowContext): Promise<WindowContext> => {
    const { role, agent, output: made } = randomStep(random);
    const node = { start, prev: length === 0 ? null : head, role, agent, detail };
    const stored = await cas.put(anything, made);
    const next = await putStep(cas, { ...node, output: stored });
    // With its keys in the store's order.
    const output = cas.get(stored)?.payload ?? null;
    const place = { start, head: next, length: length + 1, step: { role, output, detail, agent } };
    places.push(place);
    return place;
  };
  const from = (): WindowContext => {
    const place = random.next() < 0.8 ? places.at(-1) : places[random.below(places.length)];
    return place !== undefined && place.length < LONGEST ? place : random.pick(starts);
  };
  const move = async (): Promise<WindowContext> => {
    let place = from();
    for (let more = random.below(4); more > 0; more -= 1) place = await extend(place);
    return place.length === 0 ? extend(place) : place;
  };
  return { cas, extend, move };
}

async function startsIn(cas: Store): Promise<readonly [WindowContext, WindowContext]> {
  const workflow = await putWorkflow(cas, {
    name: "random",
    description: "",
    roles: {},
    conditions: {},
    graph: {},
  });
  const at = async (prompt: string): Promise<WindowContext> => {
    const start = await putStart(cas, { workflow, prompt });
    return { start, head: start, length: 0, step: null };
  };
  return [await at("a"), await at("Fix the bug")];
}

const HARMS = [
  ...["gone", "folder gone", "a bit flipped", "cut", "zeroed", "longer", "lines swapped", "a line gone"],
  ...["of another thread", "of before", "a folder"],
] as const;

/** Does something to a cache file, mostly nothing; gives its name. `others` are files of the same kind. */
function harm(random: Random, file: string, others: readonly Buffer[]): string {
  if (random.next() < 0.65) return "nothing";
  const kind = random.pick(["gone", ...HARMS]);
  if (kind === "gone") rmSync(file, { recursive: true, force: true });
  else if (kind === "folder gone") rmSync(dirname(dirname(file)), { recursive: true, force: true });
  else if (kind === "a folder") replace(file, null);
  else if (kind === "of another thread" || kind === "of before") replace(file, one(random, others));
  else if (isFile(file)) replace(file, spoilt(random, kind, readFileSync(file)));
  return kind;
}

/** A file's bytes, or none where there is no such file. */
function bytesIn(file: string): readonly Buffer[] {
  return isFile(file) ? [readFileSync(file)] : [];
}

function isFile(file: string): boolean {
  return existsSync(file) && existsSync(dirname(file)) && !existsSync(`${file}/.`);
}

function replace(file: string, bytes: Buffer | null): void {
  rmSync(file, { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true });
  if (bytes === null) mkdirSync(file);
  else writeFileSync(file, bytes);
}

function one(random: Random, others: readonly Buffer[]): Buffer {
  return others[random.below(others.length)] ?? Buffer.from("nothing of ours\n");
}

function spoilt(random: Random, kind: string, bytes: Buffer): Buffer {
  const at = random.below(bytes.length);
  if (kind === "cut") return bytes.subarray(0, at);
  if (kind === "longer") return Buffer.concat([bytes, bytes.subarray(at)]);
  if (kind === "zeroed") return Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + 64));
  if (kind === "a bit flipped") {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
    return flipped;
  }
  const lines = bytes.toString("utf8").split("\n");
  const line = 1 + random.below(Math.max(1, lines.length - 2));
  const moved = lines.splice(line, 1);
  if (kind === "lines swapped") lines.splice(Math.max(1, line - 1), 0, ...moved);
  return Buffer.from(lines.join("\n"));
}

/** The same history twice. */
type Seen = {
  /** From its nodes. */
  readonly plain: ModeratorContext;
  /** As a step sees it, with what the cache has. */
  readonly cached: ModeratorContext;
  /** How many of its steps came from the cache. */
  readonly known: number;
  /** What was done to the cache before. */
  readonly harm: string;
};

/** A thread that goes on, back and aside, while somebody spoils its cache. */
type Lab = { readonly next: () => Promise<Seen> };

/** So many older caches are at hand to be put in the place of a newer one. */
const REMEMBERED = 8;

export async function openLab(folder: string, random: Random): Promise<Lab> {
  const chains = await openChains(random);
  const storage = { ...openStorage(folder, { now: () => 0 }), cas: chains.cas };
  const spoil = spoilerOf(storage, random);
  return {
    next: async () => {
      const place = await chains.move();
      const thread = threadAt(random.next() < 0.85 ? 1 : 2);
      const harmed = spoil(thread);
      const plain = must(readContext(storage.cas, must(readChain(storage.cas, place.head))));
      const whole = must(wholeHistory(storage, thread, must(openHistory(storage.cas, place.head))));
      const interrupted = (): void => {
        if (random.next() < 0.3) spoil(thread);
      };
      if (random.next() < 0.8) await step(chains, { storage, thread, place, whole }, interrupted);
      return { plain, cached: whole.context, known: whole.kept.steps, harm: harmed };
    },
  };
}

function threadAt(n: 1 | 2): ThreadId {
  return `01ARZ3NDEKTSV4RRFF0000000${n}` as ThreadId;
}

type Look = {
  readonly storage: CachedStorage;
  readonly thread: ThreadId;
  readonly place: WindowContext;
  readonly whole: WholeHistory;
};

/** What a step does about the cache: it keeps what is lacking, and its own step when the run is over. */
async function step({ extend }: Chains, look: Look, interrupted: () => void): Promise<void> {
  const { storage, thread, place, whole } = look;
  const at = { storage, thread, start: place.start };
  const kept = cacheSteps(at, whole.kept, whole.lacking);
  interrupted();
  const next = await extend(place);
  if (kept !== null && next.step !== null) cacheSteps(at, kept, [{ hash: next.head, step: next.step }]);
}

/** Something happens to a thread's cache, or nothing; caches of before and of the other thread may take its place. */
function spoilerOf({ paths }: CacheLocation, random: Random): (thread: ThreadId) => string {
  const fileOf = (thread: ThreadId): string => join(paths.cache, "history", `${thread}.json`);
  const remembered: Buffer[] = [];
  return (thread) => {
    remembered.push(...[threadAt(1), threadAt(2)].flatMap((id) => bytesIn(fileOf(id))));
    remembered.splice(0, remembered.length - REMEMBERED);
    return harm(random, fileOf(thread), remembered);
  };
}

function must<T>(result: Result<T, Fault>): T {
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result.error));
}
