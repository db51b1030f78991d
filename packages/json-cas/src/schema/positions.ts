import type { JsonValue } from "../node/index.js";
import { isObject, keyword, type Subschema, subschemas } from "./keywords.js";

/** Every place in a schema document where a schema stands; what a local `$ref` may refer to. */
export type Positions = {
  readonly all: readonly Subschema[];
  readonly byPointer: ReadonlyMap<string, JsonValue>;
  readonly byAnchor: ReadonlyMap<string, JsonValue>;
};

export function positionsOf(root: JsonValue): Positions {
  const all: Subschema[] = [{ path: "", schema: root }];
  for (let index = 0; index < all.length; index += 1) {
    const outer = all[index];
    if (outer === undefined || !isObject(outer.schema)) continue;
    for (const inner of subschemas(outer.schema))
      all.push({ path: outer.path + inner.path, schema: inner.schema });
  }
  return { all, byPointer: new Map(all.map(({ path, schema }) => [path, schema])), byAnchor: anchorsOf(all) };
}

function anchorsOf(all: readonly Subschema[]): ReadonlyMap<string, JsonValue> {
  const anchors = new Map<string, JsonValue>();
  for (const { schema } of all) {
    const name = isObject(schema) ? keyword(schema, "$anchor") : undefined;
    if (typeof name === "string" && !anchors.has(name)) anchors.set(name, schema);
  }
  return anchors;
}

/** The schema that a `$ref` means; `undefined` when it is remote or leads to no schema. */
export function resolveRef(positions: Positions, ref: string): JsonValue | undefined {
  if (!ref.startsWith("#")) return undefined;
  const fragment = decodeFragment(ref.slice(1));
  if (fragment === null) return undefined;
  return positions.byPointer.get(fragment) ?? positions.byAnchor.get(fragment);
}

function decodeFragment(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}
