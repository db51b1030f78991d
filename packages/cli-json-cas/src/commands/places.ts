import { type Hash, type JsonObject, type JsonValue, placeOf, type Store } from "@uncaged/json-cas";
import type { BrokenPlace } from "../hooks/index.js";
import type { Tools } from "./types.js";

/** Whose references lead to nodes that are not there: asked once, and only when there is something to ask for. */
export async function placesOf({ loadHooks }: Tools): Promise<readonly BrokenPlace[]> {
  return (await (await loadHooks?.())?.places()) ?? [];
}

/** ` at /phases/0`; "" where the referrer cannot be read. */
export function fieldIn(store: Store, referrer: Hash, hash: Hash): string {
  try {
    const node = store.get(referrer);
    const place = node === null ? "" : placeOf(node.payload, hash);
    return place === "" ? "" : ` at ${place}`;
  } catch {
    return "";
  }
}

/** `: thread …, step …; thread …`; "" when nobody knows. */
export function wordsOf(places: readonly BrokenPlace[]): string {
  return places.length === 0 ? "" : `: ${places.map(({ words }) => words).join("; ")}`;
}

/** For a document. */
export function withPlaces(problem: JsonObject, places: readonly BrokenPlace[]): JsonValue {
  return places.length === 0 ? problem : { ...problem, places: places.map(({ fields }) => fields) };
}
