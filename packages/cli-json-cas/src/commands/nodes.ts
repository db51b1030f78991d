import { closeSync, openSync, statSync } from "node:fs";
import {
  CasError,
  type CasNode,
  getSchema,
  type Hash,
  type JsonObject,
  type JsonValue,
  parseJson,
  placeOf,
  resolveHash,
  type Store,
} from "@uncaged/json-cas";
import { ioFault, readWithin } from "@uncaged/json-cas-fs";
import type { Answer, BrokenReference, Tools } from "../define.js";
import { CasInputError } from "../fault.js";

export function done(document: JsonValue): Answer {
  return { document, exitCode: 0 };
}

/** The node that a person named; throws if there is none. */
export function namedNode(store: Store, text: string): { readonly hash: Hash; readonly node: CasNode } {
  const hash = resolveHash(store, text);
  const node = store.get(hash);
  // It may be gone since the name was resolved.
  if (node === null) throw new CasError({ code: "NODE_MISSING", hash, referrer: null });
  return { hash, node };
}

/** The owners of dangling references: looked up once, and only if needed. */
export async function readReferrers({ loadHooks }: Tools): Promise<readonly BrokenReference[]> {
  return (await (await loadHooks?.())?.places()) ?? [];
}

/** ` at /phases/0`; "" if the referrer cannot be read. */
export function fieldIn(store: Store, referrer: Hash, hash: Hash): string {
  try {
    const node = store.get(referrer);
    const place = node === null ? "" : placeOf(node.payload, hash);
    return place === "" ? "" : ` at ${place}`;
  } catch {
    return "";
  }
}

/** `: thread …, step …; thread …`; "" if the owner is unknown. */
export function wordsOf(places: readonly BrokenReference[]): string {
  return places.length === 0 ? "" : `: ${places.map(({ words }) => words).join("; ")}`;
}

/** For a document. */
export function withPlaces(problem: JsonObject, places: readonly BrokenReference[]): JsonValue {
  return places.length === 0 ? problem : { ...problem, places: places.map(({ fields }) => fields) };
}

/** A document has at most this many items of a list; the rest is counted, so memory stays bounded. */
const MOST_SHOWN = 1000;

/** The first members of a list that may be long. */
export function shownList<T>() {
  const list: T[] = [];
  let omitted = 0;
  const add = (member: T): void => {
    if (list.length < MOST_SHOWN) list.push(member);
    else omitted += 1;
  };
  return { add, list, omitted: () => omitted };
}

/** The program's own roots, in its order: nodes that are read together are packed together. */
export async function firstInPack({ loadHooks }: Pick<Tools, "loadHooks">): Promise<readonly Hash[]> {
  const owners = await (await loadHooks?.())?.owners();
  return (owners?.list ?? []).map(({ root }) => root);
}

/** The schema that a person named; throws if there is no such node or it is not a schema. */
export function namedSchema(store: Store, text: string): JsonValue {
  const hash = resolveHash(store, text);
  const schema = getSchema(store, hash);
  if (schema === null) throw new CasError({ code: "UNKNOWN_TYPE", type: hash });
  return schema;
}

/** Bytes of JSON text; a node has the same limit. */
const JSON_LIMIT = 32 * 1024 * 1024;

const INLINE = /^[{["\d\-tfn]/;

/** The value of a `<json>` argument: `-` is stdin, what starts like JSON is JSON, anything else is a file. */
export function readJsonArgument(argument: string, readStdin: ReadStdin): JsonValue {
  if (argument === "-") return parseBytes(readStdin(JSON_LIMIT), "stdin");
  if (INLINE.test(argument)) return parseText(argument, "the <json> argument");
  return parseBytes(readFile(argument), argument);
}

type ReadStdin = (limit: number) => Uint8Array | null;

function readFile(path: string): Uint8Array | null {
  try {
    const { size } = statSync(path);
    if (size > JSON_LIMIT) throw tooLarge(path, size);
    const fd = openSync(path, "r");
    try {
      return readWithin(fd, JSON_LIMIT);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof CasInputError) throw error;
    const { fault } = ioFault("read", path, error);
    if (fault.code === "IO_FAILED" && NO_SUCH_FILE.has(fault.errno)) {
      throw new CasInputError({ code: "FILE_NOT_FOUND", path, reason: fault.reason });
    }
    throw ioFault("read", path, error);
  }
}

const NO_SUCH_FILE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

function parseBytes(bytes: Uint8Array | null, what: string): JsonValue {
  if (bytes === null) throw tooLarge(what, null);
  return parseText(decodeText(bytes, what), what);
}

function tooLarge(what: string, size: number | null): CasInputError {
  return new CasInputError({ code: "TOO_LARGE", what, size, limit: JSON_LIMIT });
}

/** Removes a byte order mark; refuses invalid UTF-8 instead of replacing it. */
function decodeText(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid(what, "it is not UTF-8");
  }
}

/** The gate for JSON text. */
function parseText(text: string, what: string): JsonValue {
  if (text.trim() === "") throw invalid(what, "it is empty");
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof CasError) throw error;
    throw invalid(what, `not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function invalid(what: string, reason: string): CasInputError {
  return new CasInputError({ code: "INVALID_INPUT", what, reason });
}
