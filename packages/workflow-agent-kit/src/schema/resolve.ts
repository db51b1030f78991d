import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { isList, isObject, memberOf, textAt } from "./read.js";
import type { Gathered } from "./types.js";

/** What a local `$ref` points to: `#`, `#/$defs/x`, `#anchor`; `null` when nothing is there. */
export function resolveRef(root: JsonValue, ref: string): JsonValue | null {
  if (!ref.startsWith("#")) return null;
  const fragment = decode(ref.slice(1));
  if (fragment === "") return root;
  return fragment.startsWith("/") ? atPointer(root, fragment) : atAnchor(root, fragment);
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function atPointer(root: JsonValue, pointer: string): JsonValue | null {
  let value: JsonValue | null = root;
  for (const token of pointer.slice(1).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (isList(value)) value = value[Number(key)] ?? null;
    else if (isObject(value)) value = memberOf(value, key);
    else return null;
  }
  return value;
}

function atAnchor(root: JsonValue, anchor: string): JsonValue | null {
  const waiting: JsonValue[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (isObject(value) && [textAt(value, "$anchor"), textAt(value, "$dynamicAnchor")].includes(anchor)) {
      return value;
    }
    if (isList(value)) waiting.push(...value);
    else if (isObject(value)) waiting.push(...Object.values(value));
  }
  return null;
}

/** A schema that joins more parts than this is not followed further. */
const MOST_CONJUNCTS = 200;

/** Flattens `$ref` and `allOf`; unions and conditions stay in the parts. A reference into itself ends. */
export function gather(root: JsonValue, schema: JsonValue): Gathered {
  const conjuncts: JsonObject[] = [];
  const refs: string[] = [];
  let impossible = false;
  const waiting: JsonValue[] = [schema];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (next === false) impossible = true;
    if (!isObject(next) || conjuncts.length >= MOST_CONJUNCTS) continue;
    conjuncts.push(next);
    const ref = textAt(next, "$ref") ?? textAt(next, "$dynamicRef");
    if (ref !== null && !refs.includes(ref)) {
      refs.push(ref);
      waiting.push(resolveRef(root, ref) ?? true);
    }
    const { allOf } = next;
    if (isList(allOf)) waiting.push(...allOf);
  }
  return { conjuncts, refs, impossible };
}
