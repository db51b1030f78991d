import { join } from "node:path";
import type { Fault, ModeratorContext, Result, ThreadId } from "@uncaged/workflow-protocol";
import {
  type CachedStorage,
  type CachePlace,
  contextOf,
  keepSteps,
  linearise,
  openHistory,
  openStorage,
  type WholeHistory,
  wholeHistory,
} from "@uncaged/workflow-store";
import type { Random } from "../frame/index.js";
import { type Chains, openChains, type Place } from "./chains.js";
import { bytesIn, harm } from "./harm.js";

/** The same history twice. */
export type Seen = {
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
export type Lab = { readonly next: () => Promise<Seen> };

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
      const plain = must(contextOf(storage.cas, must(linearise(storage.cas, place.head))));
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
  readonly place: Place;
  readonly whole: WholeHistory;
};

/** What a step does about the cache: it keeps what is lacking, and its own step when the run is over. */
async function step({ extend }: Chains, look: Look, interrupted: () => void): Promise<void> {
  const { storage, thread, place, whole } = look;
  const at = { storage, thread, start: place.start };
  const kept = keepSteps(at, whole.kept, whole.lacking);
  interrupted();
  const next = await extend(place);
  if (kept !== null && next.step !== null) keepSteps(at, kept, [{ hash: next.head, step: next.step }]);
}

/** Something happens to a thread's cache, or nothing; caches of before and of the other thread may take its place. */
function spoilerOf({ paths }: CachePlace, random: Random): (thread: ThreadId) => string {
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
