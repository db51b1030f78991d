import { type Hash, type JsonObject, type JsonValue, parseHash, type Store } from "@uncaged/json-cas";
import { isObject } from "@uncaged/json-schema";
import { textAt } from "./schema.js";

const WORD = /\b[0-9A-HJKMNP-TV-Z]{13}\b/gi;
const MOST_CHECKED = 200;
const LONGEST_ANSWER = 200_000;

export const CAS_GET: JsonObject = {
  type: "function",
  function: {
    name: "cas_get",
    description: "Reads the node with this hash from the content-addressed store, as JSON.",
    parameters: {
      type: "object",
      properties: { hash: { type: "string", description: "13 characters of Crockford Base32" } },
      required: ["hash"],
      additionalProperties: false,
    },
  },
};

/** Whether a text names nodes of the store. */
export function namesNodes(text: string, store: Store): boolean {
  const words = new Set([...text.matchAll(WORD)].slice(0, MOST_CHECKED).map(([word]) => word));
  return [...words].some((word) => {
    const hash = parseHash(word);
    return hash !== null && exists(store, hash);
  });
}

/** The answer to a model that calls `cas_get` with these arguments: the payload as JSON, or a sentence. */
export function answerCasGet(given: JsonValue, store: Store): string {
  const asked = isObject(given) ? (textAt(given, "hash") ?? "") : "";
  const hash = parseHash(asked);
  if (hash === null) return `"${asked}" is not a hash.`;
  const text = payloadText(store, hash);
  if (text === null) return `There is no readable node ${hash}.`;
  return text.length > LONGEST_ANSWER ? `${text.slice(0, LONGEST_ANSWER)}… (cut off)` : text;
}

function exists(store: Store, hash: Hash): boolean {
  try {
    return store.has(hash);
  } catch {
    return false;
  }
}

/** For extraction a damaged node counts as absent. */
function payloadText(store: Store, hash: Hash): string | null {
  try {
    const node = store.get(hash);
    return node === null ? null : JSON.stringify(node.payload);
  } catch {
    return null;
  }
}
