import { type CasNode, type Hash, isHash, type JsonValue, type Store } from "@uncaged/json-cas";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { TYPE } from "../nodes/index.js";

/** Threads within threads deeper than this show no reply text. */
const MAX_HOPS = 16;

/** Which field of a detail node leads towards the reply's text. */
const TOWARDS_TEXT: ReadonlyMap<Hash, string> = new Map([
  [TYPE.content, "text"],
  [TYPE.reactSession, "raw"],
  [TYPE.extractedSession, "raw"],
  [TYPE.stepNode, "detail"],
]);

/**
 * What the agent replied, found from a step's detail: a content node's text, a session's raw reply, or the reply of a
 * child thread's last step; a sentence in its place where that text is gone. `null` for details of other kinds, which
 * have no text that we know of.
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
