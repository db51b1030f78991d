import { HASH_LENGTH, hashBytes, type Store } from "@uncaged/json-cas";
import type { CasRef, ModeratorContext, StepContext } from "@uncaged/workflow-protocol";
import { freezeDeep } from "../freeze.js";
import { parseList } from "../json.js";
import type { StepNode } from "../nodes/index.js";
import type { Storage } from "../storage.js";

/** Where caches are, which any storage tells. */
export type CacheLocation = Pick<Storage, "paths">;

/** Where nodes and caches are read. */
export type CachedStorage = CacheLocation & { readonly cas: Store };

/** A step as conditions see it, under its node's hash. */
export type SeenStep = { readonly hash: CasRef; readonly step: StepContext };

/** What a cache file says: the steps of one chain from the first on, oldest first. */
export type CacheContent = {
  readonly hashes: readonly CasRef[];
  /** Deeply frozen. */
  readonly steps: readonly StepContext[];
  /** The checksum that stands at the file's end. */
  readonly seal: string;
};

/** How far a thread's cache file holds its history: new steps are appended after that. */
export type Kept = {
  /** The checksum of the file as it was read or written; `null`: it is to be written anew. */
  readonly seal: string | null;
  /** So many of its steps belong to this history. */
  readonly steps: number;
  /** So many it has: more than that where the head was put back. */
  readonly of: number;
};

/** A history as far as the cache knows it, and the rest as nodes. */
export type KnownPast = {
  /** Oldest first, deeply frozen. */
  readonly known: readonly StepContext[];
  /** Those that follow, oldest first; their outputs have not been read. */
  readonly since: readonly StepNode[];
  readonly kept: Kept;
};

export type WholeHistory = {
  readonly context: ModeratorContext;
  readonly kept: Kept;
  /** The steps at the end of `context` that the file lacks. */
  readonly lacking: readonly SeenStep[];
};

// One JSON document, so that it is parsed in one go, and one line per step, so that it grows at its end:
//
//   ["uwf-history",1,"<start>"
//   ,"<step>",{"role":…,"output":…,"detail":…,"agent":…}
//   ,"<step>",{…}
//   ,"<seal>"]
//
// The seal is the XXH64 of every byte before its line. JSON has no line end inside a text.

const VERSION = 1;

/** Bytes of the last line. */
const SEAL_LINE = HASH_LENGTH + 5;

/** Elements before the first step, and of a step. */
const HEADER = 3;
const STEP = 2;

const NEWLINE = 10;

export function headerOf(start: CasRef): Buffer {
  return Buffer.from(`["uwf-history",${VERSION},"${start}"\n`, "latin1");
}

export function lineOf({ hash, step }: SeenStep): Buffer {
  return Buffer.from(`,"${hash}",${JSON.stringify(step)}\n`, "utf8");
}

/** The seal of a document that is whole; `null` for any other bytes. */
export function sealOf(bytes: Buffer): string | null {
  if (bytes.length < SEAL_LINE) return null;
  const seal = hashBytes(bodyOf(bytes));
  return bytes.subarray(bytes.length - SEAL_LINE).equals(sealLine(seal)) ? seal : null;
}

/** Bytes that a seal fits: the header and lines of steps, and behind them the seal's line. */
export function sealed(parts: readonly Buffer[]): { readonly bytes: Buffer; readonly seal: string } {
  const bytes = Buffer.concat([...parts, Buffer.alloc(SEAL_LINE)]);
  const seal = hashBytes(bodyOf(bytes));
  bytes.set(sealLine(seal), bytes.length - SEAL_LINE);
  return { bytes, seal };
}

function sealLine(seal: string): Buffer {
  return Buffer.from(`,"${seal}"]\n`, "latin1");
}

/** The header and all steps of a document that is whole. */
function bodyOf(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length - SEAL_LINE);
}

/** The same without the last so many steps. */
export function bodyWithout(bytes: Buffer, dropped: number): Buffer {
  let end = bytes.length - SEAL_LINE;
  for (let line = 0; line < dropped; line += 1) end = bytes.lastIndexOf(NEWLINE, end - 2) + 1;
  return bytes.subarray(0, end);
}

/** What a document says; `null` when it is damaged, of another version, or of the history of another start. */
export function parseCache(bytes: Buffer, start: CasRef): CacheContent | null {
  const header = headerOf(start);
  if (!bytes.subarray(0, header.length).equals(header)) return null;
  const seal = sealOf(bytes);
  const steps = seal === null ? null : stepsIn(bytes.toString("utf8"));
  return seal === null || steps === null ? null : { ...steps, seal };
}

/** The seal shows that uwf wrote the text. Its shape is checked all the same, in case uwf made a mistake. */
function stepsIn(text: string): Pick<CacheContent, "hashes" | "steps"> | null {
  const elements = parseList(text);
  const [hashes, steps]: [CasRef[], StepContext[]] = [[], []];
  for (let at = HEADER; at + STEP < elements.length; at += STEP) {
    const [hash, step] = [elements[at], elements[at + 1]];
    if (typeof hash !== "string" || !isStep(step)) return null;
    freezeDeep(step.output);
    hashes.push(hash as CasRef);
    steps.push(Object.freeze(step));
  }
  return elements.length === HEADER + STEP * steps.length + 1 ? { hashes, steps } : null;
}

function isStep(value: unknown): value is StepContext {
  if (typeof value !== "object" || value === null || !("output" in value)) return false;
  const { role, detail, agent } = value as Readonly<Record<string, unknown>>;
  return typeof role === "string" && typeof detail === "string" && typeof agent === "string";
}
