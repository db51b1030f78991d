import { lstatSync } from "node:fs";
import { join } from "node:path";
import { builtInTypes, CasError, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { guarded, isTemporaryName, readNames, refuseLink, removeIfThere, writerOf } from "../files/index.js";
import { bootTime, classifyHolder, livingStartTime, readLock, releaseLock, tryLock } from "../lock/index.js";
import { packDir } from "../pack/index.js";
import {
  createFsStore,
  formatGuard,
  type Hold,
  indexDir,
  inspectBytes,
  packsOf,
  restoreTrash,
} from "../store/index.js";
import { mendPacks, reindexStore } from "./reindex.js";
import { type StoreProblem, type VerifyFigures, verifyStore } from "./verify.js";

// A temporary file is renamed, linked or removed as soon as it is written, or those that are written together are. One
// that stays belongs to a writer who died. Its name has the writer's pid: when no such process lives here, or a later
// one, and the file has not been touched for a while (a writer in another pid namespace or on another host cannot be seen
// from here), it is swept; otherwise after an hour. A writer who is that slow and alive all the same gets an error and
// has lost nothing.

/** Epoch ms are compared with the times of files on the same clock. */
const DEAD_AFTER_MS = 10_000;
const OLD_AFTER_MS = 3_600_000;

/** `starttime` counts in ticks of 10 ms on every Linux. */
const TICKS_PER_SECOND = 100;

/** Removes temporary files in a folder whose writers are gone; returns how many. */
export function sweepTemporaryFiles(folder: string, now: number): number {
  return readNames(folder).filter((name) => isTemporaryName(name) && sweep(join(folder, name), name, now))
    .length;
}

function sweep(file: string, name: string, now: number): boolean {
  return guarded("remove", file, () => {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    // A folder with such a name was put there by a person or another program: repair must not delete it.
    if (stat === undefined || !stat.isFile()) return false;
    const age = now - stat.mtimeMs;
    const isAbandoned = age > OLD_AFTER_MS || (age > DEAD_AFTER_MS && isDead(writerOf(name), stat.mtimeMs));
    return isAbandoned && removeIfThere(file);
  });
}

/** Whether no process has that pid, or only one that started after the file was written. */
function isDead(pid: number | null, written: number): boolean {
  if (pid === null) return false;
  const boot = bootTime();
  // Without /proc no process can be proved dead.
  if (boot === null) return false;
  const started = livingStartTime(pid);
  return started === null || boot + (Number(started) * 1000) / TICKS_PER_SECOND > written + DEAD_AFTER_MS;
}

/**
 * Breaks the locks of dead holders in a folder, including those of dead breakers; returns how many. Never by a
 * plain unlink: each lock is acquired as usual and released at once.
 */
export function sweepDeadLocks(folder: string): number {
  const dead = readNames(folder).flatMap((name) => deadRecord(join(folder, name), name) ?? []);
  for (const { file } of dead) {
    const taken = tryLock(file);
    if (taken.kind === "lock") releaseLock(taken);
  }
  return dead.filter(({ file, nonce }) => readLock(file)?.nonce !== nonce).length;
}

function deadRecord(file: string, name: string): { readonly file: string; readonly nonce: string } | null {
  // Temporary files are handled by `sweepTemporaryFiles`; a link or a folder is not a lock.
  if (isTemporaryName(name) || inspectBytes(file)?.isFile() !== true) return null;
  const record = readLock(file);
  return record !== null && classifyHolder(record) === "dead" ? { file, nonce: record.nonce } : null;
}

/** Writes the built-in types again that are damaged: their content is in the program. */
async function restoreTypes(dir: string, now: number): Promise<number> {
  const store = createFsStore(dir, { now: () => now });
  let restored = 0;
  for (const [type, schema] of builtInTypes) {
    try {
      store.get(type);
    } catch (error) {
      const code = error instanceof CasError ? error.fault.code : null;
      // It may be in a pack that is mended only now.
      if (code === "PACK_DAMAGED") continue;
      if (code !== "NODE_DAMAGED") throw error;
      await store.put(META_SCHEMA_HASH, schema);
      restored += 1;
    }
  }
  return restored;
}

export type RepairOptions = {
  /** Epoch ms. */
  readonly now: number;
  /** Keeps a gc out while nodes are put back. */
  readonly hold: Hold;
  /** Called for each node or file that stays damaged. */
  readonly tell: (problem: StoreProblem) => void;
};

export type RepairFigures = {
  /** Nodes that a gc which died had set aside, and built-in types in whose place something else was. */
  readonly restored: number;
  /** Temporary files of dead writers. */
  readonly temporaryFiles: number;
  readonly indexLinesAdded: number;
  readonly indexLinesRemoved: number;
  /** Indexes of packs that were made again. */
  readonly packIndexes: number;
  /** Packs that were written again, without damaged nodes that are sound elsewhere. */
  readonly packsRewritten: number;
};

/**
 * Puts right what can be put right without knowing better than a node's own bytes, or the program: nodes that a dead gc set
 * aside, built-in types, files that dead writers left, the index. Tells what stays damaged; its file is not touched.
 */
export async function repairStore(
  dir: string,
  { now, hold, tell }: RepairOptions,
): Promise<{ readonly figures: VerifyFigures; readonly repaired: RepairFigures }> {
  formatGuard(dir).check();
  // The complete store may be a link to another disk; nothing is written or removed through one inside it.
  for (const folder of [indexDir(dir), packDir(dir)]) refuseLink(folder);
  const restored = (await restoreTrash(dir, hold)) + (await restoreTypes(dir, now));
  const temporaryFiles = [dir, indexDir(dir), packDir(dir)].reduce(
    (sum, folder) => sum + sweepTemporaryFiles(folder, now),
    0,
  );
  const packs = await mendPacks(dir);
  let notIndexed = 0;
  const found = verifyStore(dir, (problem) => {
    if (problem.kind === "not-indexed") notIndexed += 1;
    else tell(problem);
  });
  const isIndexWrong = notIndexed > 0 || found.staleIndexLines > 0;
  const canReindex = isIndexWrong && packsOf(dir).broken().length === 0;
  const { added, removed } = canReindex ? await reindexStore(dir) : { added: 0, removed: 0 };
  const figures = canReindex
    ? { ...found, damaged: found.damaged - found.notIndexedOnly, notIndexedOnly: 0, staleIndexLines: 0 }
    : found;
  return {
    figures,
    repaired: {
      restored,
      temporaryFiles,
      indexLinesAdded: added,
      indexLinesRemoved: removed,
      packIndexes: packs.indexes,
      packsRewritten: packs.rewritten,
    },
  };
}
