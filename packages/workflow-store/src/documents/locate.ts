import { isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { type Locate, type Position, segmentsOf } from "../shape/index.js";
import { offsetOf } from "./inspect.js";
import { placeInScalar } from "./scalar.js";

type Found = { readonly offset: number; readonly value: unknown };

/** Follows a JSON Pointer through the syntax tree; each map is indexed once, when it is first asked for. */
export function createLocate(root: Node | null, lines: (offset: number) => Position, text: string): Locate {
  const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Found>>();
  const entriesOf = (map: YAMLMap): ReadonlyMap<string, Found> => {
    const known = indexes.get(map);
    if (known !== undefined) return known;
    const index = indexOf(map);
    indexes.set(map, index);
    return index;
  };
  return (pointer, offset = null) => {
    let at: Found = { offset: offsetOf(root), value: root };
    for (const segment of segmentsOf(pointer)) {
      const next = childOf(at.value, segment, entriesOf);
      if (next === null) break;
      at = next;
    }
    const inside = offset !== null && isScalar(at.value) ? placeInScalar(at.value, text, offset) : null;
    return lines(inside ?? at.offset);
  };
}

function childOf(
  node: unknown,
  segment: string,
  entriesOf: (map: YAMLMap) => ReadonlyMap<string, Found>,
): Found | null {
  if (isMap(node)) return entriesOf(node).get(segment) ?? null;
  if (!isSeq(node) || !/^\d+$/.test(segment)) return null;
  const item = node.items[Number(segment)];
  return item === undefined ? null : { offset: offsetOf(item), value: item };
}

function indexOf(map: YAMLMap): ReadonlyMap<string, Found> {
  const index = new Map<string, Found>();
  for (const { key, value } of map.items) {
    if (isScalar(key)) index.set(String(key.value), { offset: offsetOf(key), value });
  }
  return index;
}
