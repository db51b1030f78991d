import {
  CasError,
  type CasNode,
  type Hash,
  isHash,
  isObject,
  type JsonObject,
  type JsonValue,
  type Store,
} from "@uncaged/json-cas";
import {
  asUsage,
  err,
  type Fault,
  fault,
  fromCasFault,
  messageOf,
  ok,
  type ReactSessionPayload,
  type Result,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { DETAIL_FIELDS, TYPE } from "./nodes.js";

/** Steps of other threads, one inside the other, are expanded so deep. */
const MOST_THREADS = 4;

/** A node that is missing or cannot be read. It takes the place of its content. */
export type MissingPart = {
  readonly missing: Hash;
  /** The end of a sentence about it. */
  readonly reason: string;
};

type Look = { readonly store: Store; readonly tell: (part: MissingPart) => void; readonly threads: number };

/**
 * The payload of a detail node with its content and react nodes expanded, and for a step of another thread its
 * output and its detail; every other reference stays a hash. Missing nodes below are represented as such and
 * reported.
 */
export function expandDetail(
  store: Store,
  hash: Hash,
  tell: (part: MissingPart) => void = () => {},
): Result<JsonValue, Fault> {
  return attempt(() => {
    const root = store.get(hash);
    if (root === null) throw new CasError({ code: "NODE_MISSING", hash, referrer: null });
    return expandNode({ store, tell, threads: 0 }, root);
  });
}

// Each throws `CasError` for what is neither missing nor damaged.

function expandNode(look: Look, { type, payload }: CasNode): JsonValue {
  if (!isObject(payload)) return payload;
  if (type === TYPE.stepNode) return expandStep(look, payload);
  if (type === TYPE.join) return expandJoin(look, payload);
  const rules = DETAIL_FIELDS.get(type);
  if (rules === undefined) return payload;
  return expandMembers(payload, (key, value) => {
    const expected = rules.get(key);
    return expected === undefined ? value : expandEach(look, value, expected);
  });
}

function expandStep(look: Look, payload: JsonObject): JsonValue {
  if (look.threads === MOST_THREADS) return payload;
  const inside = { ...look, threads: look.threads + 1 };
  return expandMembers(payload, (key, value) => {
    if (key === "output") return put(look, value, ({ payload: output }) => output);
    return key === "detail" ? put(look, value, (node) => expandNode(inside, node)) : value;
  });
}

/** Each child's newest step in the place of its hash. */
function expandJoin(look: Look, payload: JsonObject): JsonValue {
  const head = (value: JsonValue): JsonValue => put(look, value, (node) => expandNode(look, node));
  const children = (Array.isArray(payload.children) ? payload.children : []).map((child: JsonValue) =>
    isObject(child) ? expandMembers(child, (key, value) => (key === "head" ? head(value) : value)) : child,
  );
  return { ...payload, children };
}

function expandMembers(
  payload: JsonObject,
  expand: (key: string, value: JsonValue) => JsonValue,
): JsonObject {
  return Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, expand(key, value)]));
}

/** A reference, or a list of references. One to another kind of node than belongs there stays a hash. */
function expandEach(look: Look, value: JsonValue, expected: Hash): JsonValue {
  const one = (item: JsonValue): JsonValue =>
    put(look, item, (node) => (node.type === expected ? expandNode(look, node) : item));
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** What `expand` makes of the node that a value refers to. */
function put({ store, tell }: Look, value: JsonValue, expand: (node: CasNode) => JsonValue): JsonValue {
  if (!isHash(value)) return value;
  const node = readPart(store, value);
  if (typeof node !== "string") return expand(node);
  const part = { missing: value, reason: node };
  tell(part);
  return part;
}

/** The node, or the end of a sentence about why there is none. */
function readPart(store: Store, hash: Hash): CasNode | string {
  try {
    return store.get(hash) ?? "does not exist";
  } catch (error) {
    if (!(error instanceof CasError) || error.fault.code !== "NODE_DAMAGED") throw error;
    return messageOf(fromCasFault(error.fault));
  }
}

/** Threads within threads deeper than this show no reply text. */
const MAX_HOPS = 16;

/** Which field of a detail node leads towards the reply's text. */
const TOWARDS_TEXT: ReadonlyMap<Hash, string> = new Map([
  [TYPE.content, "text"],
  [TYPE.reactSession, "raw"],
  [TYPE.extractedSession, "raw"],
  [TYPE.answer, "raw"],
  [TYPE.stepNode, "detail"],
]);

/**
 * What the agent replied, found from a step's detail: a content node's text, a session's raw reply, or the reply
 * of a child thread's last step; a sentence in its place if that text is gone. `null` for details of other kinds,
 * which have no known text.
 */
export function readReply(store: Store, detail: Hash): Result<string | null, Fault> {
  let hash = detail;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const at = hash;
    const node = attempt(() => store.get(at));
    if (hop > 0 && isGone(node))
      return ok(`(The text of this reply, node ${hash}, is ${node.ok ? "gone" : "damaged"}.)`);
    if (!node.ok) return node;
    if (node.value === null) return err(fault("NODE_MISSING", { hash, referrer: null }));
    const next = memberOf(node.value.payload, TOWARDS_TEXT.get(node.value.type));
    if (next === null) return ok(null);
    if (node.value.type === TYPE.content) return ok(next);
    if (!isHash(next)) return ok(null);
    hash = next;
  }
  return ok(null);
}

function isGone(node: Result<CasNode | null, Fault>): boolean {
  return node.ok ? node.value === null : node.error.code === "NODE_DAMAGED";
}

function memberOf(payload: JsonValue, name: string | undefined): string | null {
  if (name === undefined || typeof payload !== "object" || payload === null) return null;
  const member = Object.entries(payload).find(([key]) => key === name)?.[1];
  return typeof member === "string" ? member : null;
}

const FREE: ReadonlySet<Hash | undefined> = new Set([TYPE.stepNode, TYPE.join, TYPE.answer]);

/** Whether a step's detail says that a person has done it, or other threads, where it is counted what they used. */
export function costsNothing(store: Store, detail: Hash): boolean {
  const node = attempt(() => store.get(detail));
  return node.ok && FREE.has(node.value?.type);
}

/** Facts in a session's node; unknown ones are `null`. */
export type SessionSummary = Pick<ReactSessionPayload, "sessionId" | "cwd" | "model" | "usage"> & {
  /** The agent's own name. */
  readonly agent: string | null;
  readonly durationMs: number | null;
  /** The model that read the output out of the reply; `null`: none did. */
  readonly extract: ExtractSummary | null;
};

type ExtractSummary = Pick<ReactSessionPayload, "model" | "usage">;

/** The session that a step's detail is; `null` for details of other kinds, and for one that does not exist. */
export function readSession(store: Store, detail: Hash): Result<SessionSummary | null, Fault> {
  const node = attempt(() => store.get(detail));
  if (!node.ok) return node;
  if (node.value === null) return ok(null);
  const session = sessionIn(node.value);
  return ok(session === null ? null : { ...session, extract: readExtract(store, node.value) });
}

/** If it cannot be read, it still counts as an extraction. */
function readExtract(store: Store, { type, payload }: CasNode): ExtractSummary | null {
  if (type !== TYPE.extractedSession || typeof payload !== "object" || payload === null) return null;
  const hash = new Map<string, unknown>(Object.entries(payload)).get("extract");
  const node = attempt(() => (isHash(hash) ? store.get(hash) : null));
  const { model = null, usage = null } =
    (node.ok && node.value !== null ? sessionIn(node.value) : null) ?? {};
  return { model, usage };
}

function sessionIn({ type, payload }: CasNode): Omit<SessionSummary, "extract"> | null {
  if (
    (type !== TYPE.reactSession && type !== TYPE.extractedSession) ||
    typeof payload !== "object" ||
    payload === null
  )
    return null;
  const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(payload));
  const durationMs = fields.get("durationMs");
  return {
    agent: textOf(fields.get("agent")),
    sessionId: textOf(fields.get("sessionId")),
    cwd: textOf(fields.get("cwd")),
    model: textOf(fields.get("model")),
    usage: asUsage(fields.get("usage")),
    durationMs: typeof durationMs === "number" ? durationMs : null,
  };
}

/** The usage of a session that was read already; `null` for other nodes, and where it is not recorded. */
export function sessionUsageIn(detail: CasNode): SessionSummary["usage"] {
  return sessionIn(detail)?.usage ?? null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
