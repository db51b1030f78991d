import type { Store } from "@uncaged/json-cas";
import type { CasRef, ModeratorContext, StepContext } from "@uncaged/workflow-protocol";
import type { StepNode } from "../nodes/index.js";
import type { Storage } from "../storage/index.js";

/** Where caches are, which any storage tells. */
export type CachePlace = Pick<Storage, "paths">;

/** Where nodes and caches are read. */
export type CachedStorage = CachePlace & { readonly cas: Store };

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

/** How far a thread's cache file holds its history: what is to be written goes behind that. */
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
