import { CasError } from "../fault/index.js";
import { isHash } from "../hash/index.js";
import type { Hash, JsonValue } from "../node/index.js";
import { isObject, keyword, type SchemaObject } from "../schema/index.js";
import {
  applicable,
  children,
  createValidator,
  furtherChildren,
  type Scope,
  TooMuchWork,
  type Validator,
} from "../validate/index.js";
import { canonicalOrder } from "./order.js";
import { follow, type Plan, planOf } from "./plan.js";
import { referringSchemas } from "./reach.js";

/**
 * The references that a payload holds according to its schema: every string to which a subschema with
 * `format: "cas_ref"` applies. Each once, in the order in which they stand in the node's bytes, that is with object
 * keys in canonical order (shorter first, then by bytes), wherever the object came from. Throws `INVALID_SCHEMA` when
 * the schema asks for unbounded work.
 */
export function refsOf(schema: JsonValue, payload: JsonValue): readonly Hash[] {
  return refsIn(createValidator(schema), payload);
}

/** `refsOf` with a prepared schema. */
export function refsIn(validator: Validator, payload: JsonValue): readonly Hash[] {
  const { referring, plan } = waysIn(validator);
  if (referring.size === 0) return [];
  const found = new Set<Hash>();
  if (plan !== null) {
    follow(plan, payload, found);
    return [...found];
  }
  try {
    const scope = validator.open(payload);
    collect({ scope, referring, found }, [scope.root], payload);
    return [...found];
  } catch (error) {
    if (!(error instanceof TooMuchWork || error instanceof RangeError)) throw error;
    const message = "its references and branches multiply beyond what can be followed";
    throw new CasError({ code: "INVALID_SCHEMA", problems: [{ path: "", message, suggestion: null }] });
  }
}

/** How references are found in the values of a schema. */
type Ways = {
  readonly referring: ReadonlySet<JsonValue>;
  /** `null` when the schemas that apply have to be asked for with each value. */
  readonly plan: Plan | null;
};

const known = new WeakMap<Validator, Ways>();

function waysIn(validator: Validator): Ways {
  const ways = known.get(validator) ?? findWays(validator);
  known.set(validator, ways);
  return ways;
}

function findWays({ positions }: Validator): Ways {
  const referring = referringSchemas(positions);
  const root = positions.all[0]?.schema ?? null;
  return { referring, plan: planOf(root, referring) };
}

type Search = {
  readonly scope: Scope;
  readonly referring: ReadonlySet<JsonValue>;
  readonly found: Set<Hash>;
};

function collect(search: Search, schemas: readonly JsonValue[], value: JsonValue): void {
  const applying = [...applicable(search.scope, schemas, value, "satisfied")].filter(isObject);
  if (isHash(value) && applying.some((schema) => keyword(schema, "format") === "cas_ref")) {
    search.found.add(value);
  }
  if (typeof value !== "object" || value === null) return;
  const parts = partsOf(search, applying, value);
  for (const [key, part] of entriesInOrder(value, parts)) collect(search, parts.get(key) ?? [], part);
}

type Parts = ReadonlyMap<string | number, readonly JsonValue[]>;

/** The parts of the value in which references may be, and the schemas that say so. */
function partsOf({ scope, referring }: Search, applying: readonly SchemaObject[], value: JsonValue): Parts {
  const parts = new Map<string | number, JsonValue[]>();
  for (const schema of applying.filter((one) => referring.has(one))) {
    const found = [...children(scope, schema, value), ...furtherChildren(scope, schema, value)];
    for (const { key, schema: inner } of found) {
      if (referring.has(inner)) parts.set(key, [...(parts.get(key) ?? []), inner]);
    }
  }
  return parts;
}

type Entry = readonly [key: string | number, part: JsonValue];

function entriesInOrder(value: object & JsonValue, parts: Parts): readonly Entry[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (!isObject(value)) return [];
  const keys = Object.keys(value).filter((key) => parts.has(key));
  return canonicalOrder(keys).map((key) => [key, value[key] ?? null]);
}
