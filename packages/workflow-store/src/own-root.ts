import { asPlace, bootId, identifyFolder, isCopied, type Made, replaceFile } from "@uncaged/json-cas-fs";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { damaged, readText } from "./files.js";
import { withIndexLock } from "./locks.js";
import { isEpochMs, isText, orNull, parseRecord, shapeOf } from "./record.js";
import { prepareRoot, type Storage } from "./storage.js";

// root.json: what this storage root is called, and which folder it is. A copy brings the name along, but not the folder.

type RootRecord = Made & {
  readonly name: string;
  /** Since when it is a root of its own, epoch ms. */
  readonly since: number;
  /** The name of the root that it was copied from; `null`: it was made here. */
  readonly copiedFrom: string | null;
};

export type OwnRoot = {
  readonly name: string;
  /** The folder that it is, in this boot; `null` where the system does not tell. */
  readonly place: string | null;
  /** The folder that it was copied or moved from, if that has only just been seen; `null`: it has not. */
  readonly copiedFrom: string | null;
};

/**
 * Which storage root this is, for a command that starts or ends processes, or works for a remote. The first one gives it a
 * name, and the first one in a copy gives that another name. A root that is renamed, or mounted elsewhere, stays what it is.
 * May take the index lock.
 */
export function ownRoot(storage: Storage, newName: () => string): Promise<Result<OwnRoot, Fault>> {
  const prepared = prepareRoot(storage);
  const known = prepared.ok ? readRoot(storage) : prepared;
  if (!known.ok) return Promise.resolve(known);
  if (known.value !== null && isUpToDate(storage, known.value)) {
    return Promise.resolve(ok(asOwn(known.value, null)));
  }
  return withIndexLock(storage, async () => {
    // Another process may have been quicker.
    const there = readRoot(storage);
    return there.ok ? writeRoot(storage, there.value, newName) : there;
  });
}

/** After a restart the numbers of devices may be others: from then on the new ones are compared. */
function isUpToDate({ root }: Storage, record: RootRecord): boolean {
  return record.bootId === bootId() && !isCopied(record, root);
}

function writeRoot(
  storage: Storage,
  there: RootRecord | null,
  newName: () => string,
): Result<OwnRoot, Fault> {
  const isNew = there === null || isCopied(there, storage.root);
  const known = isNew
    ? { name: newName(), since: storage.now(), copiedFrom: there?.name ?? null }
    : { name: there.name, since: there.since, copiedFrom: there.copiedFrom };
  const record: RootRecord = { ...known, bootId: bootId(), place: identifyFolder(storage.root) };
  const kept = attempt(() => replaceFile(storage.paths.rootFile, `${JSON.stringify(record)}\n`, null));
  return kept.ok ? ok(asOwn(record, isNew ? (there?.place?.folder ?? null) : null)) : kept;
}

function asOwn({ name, bootId: boot, place }: RootRecord, copiedFrom: string | null): OwnRoot {
  const isPlaced = boot !== null && place !== null;
  return { name, place: isPlaced ? `${boot} ${place.device}:${place.inode}` : null, copiedFrom };
}

/**
 * What only this root can say of a text: it proves later that the root has written it. `null`: it has no name yet, or is a
 * copy that has not got its own.
 */
export function readSeal(storage: Storage, text: string): string | null {
  const there = readRoot(storage);
  if (!there.ok || there.value === null || isCopied(there.value, storage.root)) return null;
  const { name, since } = there.value;
  const { createHmac } = process.getBuiltinModule("node:crypto");
  return createHmac("sha256", `${name} ${since}`).update(text).digest("hex");
}

/** Since when a copied root is one of its own, epoch ms: what is older came with the copy. 0: it is no copy. */
export function copiedSince(storage: Storage): number {
  const there = readRoot(storage);
  if (!there.ok || there.value === null) return 0;
  if (isCopied(there.value, storage.root)) return Infinity;
  return there.value.copiedFrom === null ? 0 : there.value.since;
}

const ROOT = shapeOf<Omit<RootRecord, "place">>({
  name: isName,
  bootId: orNull(isText),
  since: isEpochMs,
  copiedFrom: orNull(isName),
});

function readRoot({ paths: { rootFile } }: Storage): Result<RootRecord | null, Fault> {
  const text = readText(rootFile);
  if (!text.ok || text.value === null) return text.ok ? ok(null) : text;
  const fields = parseRecord(text.value) ?? {};
  const record = ROOT.read(fields);
  return record === null
    ? damaged(rootFile, "it does not say which storage root this is")
    : ok({ ...record, place: asPlace(fields.place) });
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[0-9A-Za-z-]{8,64}$/.test(value);
}
