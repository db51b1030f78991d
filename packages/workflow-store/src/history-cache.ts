import { dirname, join } from "node:path";
import { CasError, HASH_LENGTH, hashBytes, type Store } from "@uncaged/json-cas";
import { errnoOf, isLink, makeDir, removeIfThere, replaceFile } from "@uncaged/json-cas-fs";
import {
  type CasRef,
  type Fault,
  type ModeratorContext,
  ok,
  type Result,
  type StepContext,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { freezeDeep, type OpenHistory, readContext } from "./chain.js";
import { readBytes } from "./files.js";
import type { StepNode } from "./nodes.js";
import { parseJson } from "./record.js";
import type { Storage } from "./storage.js";

// <cache>/history/<thread>.json   a thread's steps as conditions see them, for those that may look at all of them: ten thousand
//                                 steps are read in 0.1 s and not in 0.5. One JSON document, parsed in one go:
//
//   ["uwf-history",1,"<start>"
//   ,"<step>",{"role":…,"output":…,"detail":…,"agent":…}
//   ,"<step>",{…}
//   ,"<seal>"]
//
// The seal is the XXH64 of every byte before its line. A document that it does not fit counts as none.

/** Bytes. A longer history is read from its nodes: in memory it is several times as large. */
const LARGEST = 128 * 1024 * 1024;

/** Returns `null` if the file system refuses: a cache is never essential. */
function quietly<T>(action: () => T): T | null {
  try {
    return action();
  } catch (error) {
    if (errnoOf(error) === null && !(error instanceof CasError)) throw error;
    return null;
  }
}

/** Where caches are, which any storage tells. */
export type CacheLocation = Pick<Storage, "paths">;

/** Where nodes and caches are read. */
export type CachedStorage = CacheLocation & { readonly cas: Store };

/** A step as conditions see it, under its node's hash. */
export type SeenStep = { readonly hash: CasRef; readonly step: StepContext };

const VERSION = 1;

/** Bytes of the last line. */
const SEAL_LINE = HASH_LENGTH + 5;

/** Elements before the first step, and of a step. */
const HEADER = 3;
const STEP = 2;

function cacheFile({ paths }: CacheLocation, thread: ThreadId): string {
  return join(paths.cache, "history", `${thread}.json`);
}

/** Whether none of the cache's folders that exist is a link: nothing is changed behind one. */
function isOurs(storage: CacheLocation, thread: ThreadId): boolean {
  return !isLink(storage.paths.cache) && !isLink(dirname(cacheFile(storage, thread)));
}

/** Removes what the cache has of a thread that ends, if that is possible: what stays is harmless. */
export function forgetHistory(storage: CacheLocation, thread: ThreadId): void {
  quietly(() => {
    if (isOurs(storage, thread)) removeIfThere(cacheFile(storage, thread));
  });
}

function headerOf(start: CasRef): string {
  return `["uwf-history",${VERSION},"${start}"\n`;
}

function sealLine(body: Uint8Array): Buffer {
  return Buffer.from(`,"${hashBytes(body)}"]\n`);
}

/** The steps of a document that is whole; none of any other bytes, nor of the history of another start. */
function stepsIn(bytes: Buffer, start: CasRef): readonly SeenStep[] {
  const header = Buffer.from(headerOf(start));
  const body = bytes.subarray(0, Math.max(0, bytes.length - SEAL_LINE));
  if (!body.subarray(0, header.length).equals(header)) return [];
  if (!sealLine(body).equals(bytes.subarray(body.length))) return [];
  const elements = parseJson(bytes.toString("utf8"));
  if (!Array.isArray(elements)) return [];
  const steps: SeenStep[] = [];
  // The seal shows that uwf wrote the text. Its shape is checked all the same, in case uwf made a mistake.
  for (let at = HEADER; at + STEP < elements.length; at += STEP) {
    const [hash, step]: readonly unknown[] = elements.slice(at, at + STEP);
    if (typeof hash !== "string" || !isStep(step)) return [];
    freezeDeep(step.output);
    steps.push({ hash: hash as CasRef, step: Object.freeze(step) });
  }
  return elements.length === HEADER + STEP * steps.length + 1 ? steps : [];
}

function isStep(value: unknown): value is StepContext {
  if (typeof value !== "object" || value === null || !("output" in value)) return false;
  const { role, detail, agent } = value as Readonly<Record<string, unknown>>;
  return typeof role === "string" && typeof detail === "string" && typeof agent === "string";
}

/** A history as far as the cache knows it, deeply frozen, and the rest as nodes, whose outputs have not been read. Oldest first. */
export type KnownPast = { readonly known: readonly SeenStep[]; readonly since: readonly StepNode[] };

/**
 * A history, as far as the thread's cache has it from the cache, the rest from its nodes. A cache that is absent or
 * not to be used is none; what is wrong about the nodes that are read is `CHAIN_DAMAGED`.
 */
export function knownPast(
  storage: CacheLocation,
  thread: ThreadId,
  { start, since }: Pick<OpenHistory, "start" | "since">,
): Result<KnownPast, Fault> {
  const bytes = readBytes(cacheFile(storage, thread), LARGEST, "refused");
  const cached = bytes.ok && bytes.value !== null ? stepsIn(bytes.value, start.hash) : [];
  const places = new Map(cached.map(({ hash }, index) => [hash, index + 1]));
  const rest = since((hash) => places.has(hash));
  if (!rest.ok) return rest;
  const { known, steps } = rest.value;
  // The head may have been put back: then the cache has more.
  const count = known === null ? 0 : (places.get(known) ?? 0);
  return ok({ known: cached.slice(0, count), since: steps });
}

export type WholeHistory = {
  readonly context: ModeratorContext;
  /** Its steps with their hashes. */
  readonly steps: readonly SeenStep[];
  /** How many of them the cache has. */
  readonly known: number;
};

/**
 * The whole history as conditions see it: what the cache lacks is read from its nodes, outputs too. Writes nothing. Every
 * step is deeply frozen; the list of them is not, because a frozen list of ten thousand costs bun 7 ms.
 */
export function wholeHistory(
  storage: CachedStorage,
  thread: ThreadId,
  history: OpenHistory,
): Result<WholeHistory, Fault> {
  const past = knownPast(storage, thread, history);
  if (!past.ok) return past;
  const { known, since } = past.value;
  const { head, start } = history;
  const newer = readContext(storage.cas, { head, start, steps: since });
  if (!newer.ok) return newer;
  const read = newer.value.steps.map((step, index) => ({ hash: since[index]?.hash ?? head, step }));
  const steps = [...known, ...read];
  const context = { start: newer.value.start, steps: steps.map(({ step }) => step) };
  return ok({ context, steps, known: known.length });
}

/** Puts a history into the thread's cache, if that is possible: nothing is lost otherwise. */
export function cacheHistory(
  storage: CacheLocation,
  thread: ThreadId,
  start: CasRef,
  { steps, known }: Pick<WholeHistory, "steps" | "known">,
): void {
  if (steps.length === known) return;
  quietly(() => {
    if (!isOurs(storage, thread)) return;
    const parts: Buffer[] = [Buffer.from(headerOf(start))];
    let size = SEAL_LINE;
    for (const { hash, step } of steps) {
      const line = Buffer.from(`,"${hash}",${JSON.stringify(step)}\n`);
      size += line.length;
      if (size > LARGEST) return;
      parts.push(line);
    }
    const body = Buffer.concat(parts);
    const file = cacheFile(storage, thread);
    makeDir(dirname(file));
    replaceFile(file, Buffer.concat([body, sealLine(body)]), null);
  });
}

/** A thread's whole history, for conditions that may look at all of it: read when the first one asks, and once. */
export type FullHistory = () => Result<ModeratorContext, Fault>;

/**
 * `kept` is for the holder of the thread's lock: what the cache lacks is put there as soon as it is read, before an agent is
 * waited for. `read` uses the cache as it is found.
 */
export function fullHistory(
  storage: CachedStorage,
  thread: ThreadId,
  chain: OpenHistory,
  use: "kept" | "read",
): FullHistory {
  let known: Result<ModeratorContext, Fault> | null = null;
  const read = (): Result<ModeratorContext, Fault> => {
    const whole = wholeHistory(storage, thread, chain);
    if (!whole.ok) return whole;
    if (use === "kept") cacheHistory(storage, thread, chain.start.hash, whole.value);
    return ok(whole.value.context);
  };
  return () => {
    known ??= read();
    return known;
  };
}
