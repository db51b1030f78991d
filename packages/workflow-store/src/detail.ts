import {
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
  messageOf,
  ok,
  type ReactSessionPayload,
  type Result,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { DETAIL_FIELDS, TYPE } from "./nodes/index.js";

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
  const root = attempt(() => store.get(hash));
  if (!root.ok) return root;
  if (root.value === null) return err(fault("NODE_MISSING", { hash, referrer: null }));
  return expandNode({ store, tell, threads: 0 }, root.value);
}

function expandNode(look: Look, node: CasNode): Result<JsonValue, Fault> {
  const { type, payload } = node;
  if (!isObject(payload)) return ok(payload);
  if (type === TYPE.stepNode) return expandStep(look, payload);
  if (type === TYPE.join) return expandJoin(look, payload);
  const rules = DETAIL_FIELDS.get(type);
  if (rules === undefined) return ok(payload);
  return expandMembers(payload, (key, value) => {
    const expected = rules.get(key);
    return expected === undefined ? ok(value) : expandEach(look, value, (node) => node.type === expected);
  });
}

function expandStep(look: Look, payload: JsonObject): Result<JsonValue, Fault> {
  if (look.threads === MOST_THREADS) return ok(payload);
  const inside = { ...look, threads: look.threads + 1 };
  return expandMembers(payload, (key, value) => {
    if (key === "output") return put(look, value, ({ payload: output }) => ok(output));
    return key === "detail" ? put(look, value, (node) => expandNode(inside, node)) : ok(value);
  });
}

/** Each child's newest step in the place of its hash. */
function expandJoin(look: Look, payload: JsonObject): Result<JsonValue, Fault> {
  const children: JsonValue[] = [];
  for (const child of Array.isArray(payload.children) ? payload.children : []) {
    const expanded = isObject(child)
      ? expandMembers(child, (key, value) =>
          key === "head" ? put(look, value, (node) => expandNode(look, node)) : ok(value),
        )
      : ok(child);
    if (!expanded.ok) return expanded;
    children.push(expanded.value);
  }
  return ok({ ...payload, children });
}

function expandMembers(
  payload: JsonObject,
  expand: (key: string, value: JsonValue) => Result<JsonValue, Fault>,
): Result<JsonValue, Fault> {
  const expanded: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(payload)) {
    const member = expand(key, value);
    if (!member.ok) return member;
    expanded.push([key, member.value]);
  }
  return ok(Object.fromEntries(expanded));
}

/** A reference, or a list of references. One to another kind of node than belongs there stays a hash. */
function expandEach(
  look: Look,
  value: JsonValue,
  belongs: (node: CasNode) => boolean,
): Result<JsonValue, Fault> {
  const one = (item: JsonValue): Result<JsonValue, Fault> =>
    put(look, item, (node) => (belongs(node) ? expandNode(look, node) : ok(item)));
  if (!Array.isArray(value)) return one(value);
  const members: JsonValue[] = [];
  for (const item of value) {
    const member = one(item);
    if (!member.ok) return member;
    members.push(member.value);
  }
  return ok(members);
}

/** What `expand` makes of the node that a value refers to. */
function put(
  { store, tell }: Look,
  value: JsonValue,
  expand: (node: CasNode) => Result<JsonValue, Fault>,
): Result<JsonValue, Fault> {
  if (!isHash(value)) return ok(value);
  const node = attempt(() => store.get(value));
  if (node.ok && node.value !== null) return expand(node.value);
  if (!node.ok && node.error.code !== "NODE_DAMAGED") return node;
  const part = { missing: value, reason: node.ok ? "does not exist" : messageOf(node.error) };
  tell(part);
  return ok(part);
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

/**
 * The usage of a step's session; `null` if its detail is not a session, cannot be read, or does not record it. For
 * the log only.
 */
export function readSessionUsage(store: Store, detail: Hash): SessionSummary["usage"] {
  const session = readSession(store, detail);
  return session.ok && session.value !== null ? session.value.usage : null;
}

/** The same of a detail that was read already. */
export function sessionUsageIn(detail: CasNode): SessionSummary["usage"] {
  return sessionIn(detail)?.usage ?? null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
