import {
  CasError,
  type CasNode,
  type Hash,
  type JsonObject,
  type JsonValue,
  parseHash,
  placeOf,
  refs as refsOfNode,
  resolveHash,
  type Store,
  walk as walkNodes,
} from "@uncaged/json-cas";
import type { BrokenPlace } from "../hooks.js";
import { readJsonArgument } from "../input.js";
import type { Answer, CasCommand, Tools } from "./types.js";

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

export const get: CasCommand<{ readonly hash: string; readonly timestamp: boolean }> = (
  { store },
  request,
) => {
  const { type, payload, timestamp } = namedNode(store, request.hash).node;
  return done(request.timestamp ? { type, payload, timestamp } : { type, payload });
};

export const has: CasCommand<{ readonly hash: string }> = ({ store }, { hash }) => {
  const exists = isThere(store, hash);
  return { document: { exists }, exitCode: exists ? 0 : 3 };
};

function isThere(store: Store, text: string): boolean {
  try {
    resolveHash(store, text);
    return true;
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_MISSING") return false;
    throw error;
  }
}

export const list: CasCommand<{ readonly type: string | null }> = ({ store }, { type }) =>
  done({ hashes: type === null ? store.list() : store.listByType(resolveHash(store, type)) });

/** The owners of dangling references: looked up once, and only if needed. */
export async function placesOf({ loadHooks }: Tools): Promise<readonly BrokenPlace[]> {
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
export function wordsOf(places: readonly BrokenPlace[]): string {
  return places.length === 0 ? "" : `: ${places.map(({ words }) => words).join("; ")}`;
}

/** For a document. */
export function withPlaces(problem: JsonObject, places: readonly BrokenPlace[]): JsonValue {
  return places.length === 0 ? problem : { ...problem, places: places.map(({ fields }) => fields) };
}

export const put: CasCommand<{ readonly type: string; readonly json: string }> = async (tools, request) => {
  const type = resolveType(tools.store, request.type);
  const payload = readJsonArgument(request.json, tools.readStdin);
  return done({ hash: await tools.store.put(type, payload) });
};

/** A complete hash is left to `put`, which says of an unknown one that it is not a schema. */
function resolveType(store: Store, text: string): Hash {
  return parseHash(text) ?? resolveHash(store, text);
}

export const refs: CasCommand<{ readonly hash: string }> = ({ store }, { hash }) =>
  done({ refs: refsOfNode(store, namedNode(store, hash).node) });

/** A document holds so many of a list; memory stays bounded, and the rest is counted. */
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

type Place = { readonly hash: Hash; readonly depth: number };

/**
 * The nodes below `root` as lines of a tree, each followed by what it refers to, one level deeper. A node that has
 * already appeared has `repeated: true` and is not expanded again; `type` is null if a node is missing. Lines and
 * not nested objects: a history of 10,000 steps is a tree 10,000 levels deep.
 */
function treeOf(store: Store, root: Hash, followTypes: boolean): readonly JsonObject[] {
  const lines: JsonObject[] = [];
  const seen = new Set<Hash>();
  const stack: Place[] = [{ hash: root, depth: 0 }];
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { hash, depth } = place;
    const node = store.get(hash);
    const repeated = seen.has(hash);
    seen.add(hash);
    lines.push({ depth, hash, type: node?.type ?? null, repeated });
    if (node !== null && !repeated) stack.push(...below(store, node, depth + 1, followTypes).reverse());
  }
  return lines;
}

function below(store: Store, node: CasNode, depth: number, followTypes: boolean): Place[] {
  const hashes = followTypes ? [...refsOfNode(store, node), node.type] : refsOfNode(store, node);
  return hashes.map((hash) => ({ hash, depth }));
}

type WalkRequest = { readonly hash: string; readonly tree: boolean; readonly types: boolean };

export const walk: CasCommand<WalkRequest> = ({ store, warn }, request) => {
  const root = resolveHash(store, request.hash);
  const hashes: Hash[] = [];
  const missing: JsonObject[] = [];
  walkNodes(
    store,
    root,
    ({ hash, node, referrer }) => {
      if (node !== null) hashes.push(hash);
      else missing.push({ hash, referrer });
    },
    { followTypes: request.types },
  );
  for (const { hash, referrer } of missing) warn(`node ${hash} does not exist (referred to by ${referrer})`);
  const tree = request.tree ? { tree: treeOf(store, root, request.types) } : {};
  return answer({ hashes, missing, ...tree }, missing.length > 0);
};

/** A dangling reference is damage: what was found is printed all the same. */
function answer(document: JsonObject, isDamaged: boolean): Answer {
  return { document, exitCode: isDamaged ? 7 : 0 };
}
