import { closeSync, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import {
  builtInTypes,
  CasError,
  type CasNode,
  DecodeError,
  decodeNode,
  FOREIGN_ROOTS,
  HASH_LENGTH,
  type Hash,
  isHash,
  refs,
  type Store,
  verifyEncoded,
} from "@uncaged/json-cas";
import { errnoOf, errnoReason, guarded, ioFault, isMissing, READ_PLAIN } from "../files/index.js";
import {
  LONGEST_NODE,
  type OpenPack,
  type PackLocation,
  type PackReader,
  packDir,
  packReaderOf,
  readPackedNode,
} from "../pack/index.js";
import { fsStoreFile, trashFile } from "./folder.js";

/** Bytes of one node, timestamp and type included. Checked before anything is read into memory. */
export const NODE_LIMIT = LONGEST_NODE;

/** Errors that concern the process or folder and not this file. */
const NOT_THIS_FILE: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "ENOTDIR",
  "ENAMETOOLONG",
  "ESTALE",
]);

/** A node's bytes, unchecked, and the file that has them; `null` if there are none. */
export type NodeBytes = { readonly bytes: Uint8Array; readonly file: string };

/**
 * A node that gc has set aside is there all the same until it is removed: gc puts it back when a writer was quicker, and
 * may have been killed before. It is linked to its name before it loses the other one, so three looks miss nothing. One that
 * is packed meanwhile is in its pack before it loses its file.
 */
export function readNodeBytes(dir: string, hash: Hash): NodeBytes | null {
  const file = fsStoreFile(dir, hash);
  const own = (name: string): NodeBytes | null => {
    const bytes = readFile(hash, name);
    return bytes === null ? null : { bytes, file: name };
  };
  const found = own(file) ?? readPacked(dir, hash) ?? own(trashFile(dir, hash)) ?? own(file);
  if (found === null) refuseBrokenPacks(dir);
  return found;
}

/** The content of a file that should hold that node; `null` if there is none. */
export function readFile(hash: Hash, file: string): Uint8Array | null {
  // An exception for each packed node, of a file that cannot be opened, would take longer than to read it.
  if (isMissing(file)) return null;
  let fd: number;
  try {
    fd = openSync(file, READ_PLAIN);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw unreadable(hash, file, error);
  }
  try {
    return readRegular(fd, hash, file);
  } catch (error) {
    throw unreadable(hash, file, error);
  } finally {
    closeSync(fd);
  }
}

/** What is there of a node, by a reader's looks; damage is reported when it is read. `null` if no sound pack has it either. */
function lookUp(dir: string, hash: Hash): "file" | "no file" | "pack" | null {
  const file = fsStoreFile(dir, hash);
  const stat = inspectBytes(file) ?? inspectBytes(trashFile(dir, hash)) ?? inspectBytes(file);
  if (stat !== null) return stat.isFile() ? "file" : "no file";
  return findPacked(dir, hash) === null ? null : "pack";
}

/** Whether there is a regular file under the node's name, or a pack has it; anything else there is damage. */
export function nodeExists(dir: string, hash: Hash): boolean {
  const found = lookUp(dir, hash);
  if (found === "no file") throw damaged(hash, fsStoreFile(dir, hash), "it is not a regular file");
  if (found === null) refuseBrokenPacks(dir);
  return found !== null;
}

/** Whether there is nothing of a node, as a new one requires. */
export function lacksNode(dir: string, hash: Hash): boolean {
  return lookUp(dir, hash) === null;
}

/**
 * The same for one of many nodes that are put together: with one look, for one that gc sets aside may as well be written
 * again, and without packs that came since the first of them: a second copy does no harm.
 */
export function probablyLacksNode(dir: string, hash: Hash): boolean {
  return isMissing(fsStoreFile(dir, hash)) && !isKnownInPack(dir, hash);
}

/** What exists under a name, without following a link; `null` for nothing. */
export function inspectBytes(file: string): Stats | null {
  return guarded("look at", file, () => lstatSync(file, { throwIfNoEntry: false })) ?? null;
}

function readRegular(fd: number, hash: Hash, file: string): Uint8Array {
  const stat = fstatSync(fd);
  if (!stat.isFile()) throw damaged(hash, file, "it is not a regular file");
  if (stat.size > NODE_LIMIT)
    throw damaged(hash, file, `it has ${stat.size} bytes, the limit is ${NODE_LIMIT}`);
  const bytes = new Uint8Array(stat.size);
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(fd, bytes, length, bytes.length - length, length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

function unreadable(hash: Hash, file: string, error: unknown): CasError {
  if (errnoOf(error) === "ELOOP") return damaged(hash, file, "it is not a regular file");
  const fault = ioFault("read", file, error);
  if (fault.fault.code !== "IO_FAILED") return fault;
  if (NOT_THIS_FILE.has(fault.fault.errno) || !isVisible(file)) return fault;
  return damaged(hash, file, `it cannot be read: ${errnoReason(error)}`);
}

/** A file that cannot even be looked at says nothing about the file: the folder is closed to us. */
function isVisible(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function damaged(hash: Hash, file: string, reason: string): CasError {
  return new CasError({ code: "NODE_DAMAGED", hash, file, reason });
}

/** Runs `action` with the reader of packs; `otherwise` if there are none: one look, whatever the size of the store. */
function withReader<T>(dir: string, otherwise: T, action: (reader: PackReader) => T): T {
  if (isMissing(packDir(dir))) return otherwise;
  return guarded("read", packDir(dir), () => action(packReaderOf(dir)));
}

/** A packed node, unchecked; `null` if no sound pack has it. Throws `NODE_DAMAGED`. */
function readPacked(dir: string, hash: Hash): NodeBytes | null {
  return withReader(dir, null, (reader) => {
    const place = reader.find(hash);
    if (place === null) return null;
    const [found, { file }] = [readPackedNode(place, hash), place.pack];
    if ("damage" in found) throw damaged(hash, file, found.damage);
    return { bytes: found, file };
  });
}

/** Where a sound pack has the node. A damaged pack counts as not having it. */
export function findPacked(dir: string, hash: Hash): PackLocation | null {
  return withReader(dir, null, (reader) => reader.find(hash));
}

/** Whether one of the packs has it that were there when this process last listed them. */
export function isKnownInPack(dir: string, hash: Hash): boolean {
  return withReader(dir, false, (reader) => reader.isKnown(hash));
}

/** Throws `PACK_DAMAGED` if a pack cannot say which nodes it has. Called before one that was not found counts as missing. */
export function refuseBrokenPacks(dir: string): void {
  const [broken] = packsOf(dir).broken();
  if (broken === undefined) return;
  throw new CasError({ code: "PACK_DAMAGED", file: broken.file, reason: broken.reason });
}

/** Called before a store is looked at as a whole: a pack that was damaged while it was open is to be noticed. */
export function forgetPacks(dir: string): void {
  withReader(dir, undefined, (reader) => reader.forget());
}

/** The packs that there are now, and those that cannot be read. */
export function packsOf(dir: string): Pick<PackReader, "broken"> & { readonly packs: readonly OpenPack[] } {
  const none = { packs: [], broken: () => [] };
  return withReader(dir, none, (reader) => ({ packs: reader.packs(), broken: reader.broken }));
}

/** What is wrong with a node, as the end of a sentence about it. */
export type Damage = { readonly damage: string };

/** What `read` gives, or what is wrong with the node that it reads. */
export function orDamage<T>(read: () => T): T | Damage {
  try {
    return read();
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED")
      return { damage: error.fault.reason };
    throw error;
  }
}

/** The node under a hash, checked; `null` when there is none; throws `NODE_DAMAGED`, `PACK_DAMAGED` or `IO_FAILED`. */
export function readNode(dir: string, hash: Hash): CasNode | null {
  const found = readNodeBytes(dir, hash);
  if (found === null) return null;
  const node = nodeIn(hash, found.bytes);
  if ("damage" in node) throw damaged(hash, found.file, node.damage);
  return node;
}

/** The node in these bytes, checked, or what is wrong with them. */
export function nodeIn(hash: Hash, bytes: Uint8Array | Damage): CasNode | Damage {
  if ("damage" in bytes) return bytes;
  try {
    const node = decodeNode(bytes);
    return verifyEncoded(hash, node, bytes) ? node : { damage: otherHash(hash, node) };
  } catch (error) {
    if (error instanceof DecodeError) return { damage: error.message };
    throw error;
  }
}

function otherHash(hash: Hash, { type }: CasNode): string {
  if (builtInTypes.has(hash))
    return "its content is not that of the built-in type with this hash, which `verify --repair` writes again";
  if (type !== hash) return "its content has another hash";
  const origin = FOREIGN_ROOTS.get(hash) ?? "another version of json-cas";
  return `it is the type of the schemas of a store that ${origin} has written, which hashes it in its own way`;
}

/** The bytes of a node that is sound; `null` if it is not there, or damaged. */
export function soundBytes(dir: string, hash: Hash): Uint8Array | null {
  const found = orDamage(() => readNodeBytes(dir, hash));
  const isSound = found !== null && !("damage" in found) && !("damage" in nodeIn(hash, found.bytes));
  return isSound ? found.bytes : null;
}

/** What is wrong with the node in a file; `null` if nothing is, or it is gone. */
export function damageOfFile(hash: Hash, file: string): string | null {
  const bytes = orDamage(() => readFile(hash, file));
  if (bytes === null) return null;
  const node = nodeIn(hash, bytes);
  return "damage" in node ? node.damage : null;
}

/** The type in the bytes of a node, damaged or not (a3 64 type 6d <13 characters> …); `null` if none is there. */
export function typeIn(bytes: Uint8Array): Hash | null {
  const type = Buffer.from(bytes.subarray(7, 7 + HASH_LENGTH)).toString("latin1");
  return isHash(type) ? type : null;
}

/**
 * Whether a node is a schema whose type the original program hashed in its own way, so that no reader finds
 * that type: such a schema has no references and is accepted as it is.
 */
export function isForeignSchema(store: Pick<Store, "get">, { type }: CasNode): boolean {
  if (!FOREIGN_ROOTS.has(type)) return false;
  const found = orDamage(() => store.get(type));
  return found === null || "damage" in found;
}

/** A node and its references. */
type NextNodes = {
  readonly type: Hash;
  /** Its references and its type, each once, itself never. */
  readonly next: readonly Hash[];
};

/** What is wrong with a node that is not there. */
export const VANISHED = "does not exist";

/**
 * What a node leads to; `found`: it was read already. Throws errors that do not concern the node itself: `IO_FAILED`,
 * `UNSUPPORTED_FORMAT`, `PACK_DAMAGED`.
 */
export function readNext(
  store: Pick<Store, "get">,
  hash: Hash,
  found: CasNode | Damage | null = orDamage(() => store.get(hash)),
): NextNodes | Damage {
  if (found === null) return { damage: VANISHED };
  if ("damage" in found) return { damage: `is damaged: ${found.damage}` };
  const { type } = found;
  if (isForeignSchema(store, found)) return { type, next: [] };
  try {
    const next = [...refs(store, found)];
    if (!next.includes(type)) next.push(type);
    return { type, next: next.includes(hash) ? next.filter((other) => other !== hash) : next };
  } catch (error) {
    return { damage: damageOfType(error, type) };
  }
}

function damageOfType(error: unknown, type: Hash): string {
  const code = error instanceof CasError ? error.fault.code : null;
  switch (code) {
    case "NODE_DAMAGED":
      return `has the type ${type}, which is damaged`;
    case "UNKNOWN_TYPE":
      return `has the type ${type}, which is not a schema in this store`;
    case "INVALID_SCHEMA":
      return "has a type whose references cannot be followed";
    default:
      throw error;
  }
}
