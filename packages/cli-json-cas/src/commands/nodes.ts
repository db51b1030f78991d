import {
  CasError,
  type CasNode,
  type Hash,
  type JsonObject,
  type JsonValue,
  placeOf,
  resolveHash,
  type Store,
} from "@uncaged/json-cas";
import type { BrokenReference } from "../hooks.js";
import type { Answer, Tools } from "../types.js";

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
