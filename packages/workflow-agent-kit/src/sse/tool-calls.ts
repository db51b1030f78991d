import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { isList, isObject, memberOf, numberAt, textAt } from "../schema/index.js";

/** Further calls in one answer are passed over: nobody means so many. */
const MOST = 256;

/** A tool call on its way. */
type Growing = {
  readonly index: number | null;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** What else the server said of it; some want it back. */
  readonly more: JsonObject;
};

/** The calls after one more delta. */
export function joinToolCalls(calls: readonly Growing[], deltas: JsonValue): readonly Growing[] {
  return (isList(deltas) ? deltas : []).filter(isObject).reduce(joinOne, calls);
}

export type { Growing };

/** As they stand in a completion that was not streamed. */
export function wholeToolCalls(calls: readonly Growing[]): readonly JsonObject[] {
  return calls.map(({ id, name, arguments: given, more }) => ({
    ...more,
    ...(id === "" ? {} : { id }),
    type: "function",
    function: { name, arguments: given },
  }));
}

function joinOne(calls: readonly Growing[], delta: JsonObject): readonly Growing[] {
  const part = partOf(delta);
  const at = placeOf(calls, part);
  const old = calls[at];
  if (old === undefined) return calls.length < MOST ? [...calls, part] : calls;
  const joined: Growing = {
    index: old.index ?? part.index,
    id: old.id || part.id,
    // Some servers say the name again with every piece.
    name: old.name || part.name,
    arguments: old.arguments + part.arguments,
    more: { ...old.more, ...part.more },
  };
  return calls.map((call, place) => (place === at ? joined : call));
}

function partOf(delta: JsonObject): Growing {
  const { id: _id, index: _index, type: _type, function: called, ...more } = delta;
  const inner = isObject(called) ? called : {};
  const given = memberOf(inner, "arguments");
  return {
    index: numberAt(delta, "index"),
    id: textAt(delta, "id") ?? "",
    name: textAt(inner, "name") ?? "",
    arguments: typeof given === "string" ? given : given === null ? "" : JSON.stringify(given),
    more,
  };
}

/** -1: it is a new one. By index; two calls with one index and two ids are two; without an index the id tells, or the last goes on. */
function placeOf(calls: readonly Growing[], { index, id, name }: Growing): number {
  const differs = (call: Growing): boolean => id !== "" && call.id !== "" && call.id !== id;
  if (index !== null) return calls.findLastIndex((call) => call.index === index && !differs(call));
  if (id !== "") return calls.findLastIndex((call) => call.id === id);
  return name === "" ? calls.length - 1 : -1;
}
