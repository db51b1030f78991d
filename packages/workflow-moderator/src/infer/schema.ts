import { isObject, type JsonObject, type JsonValue, listAt, referred } from "@uncaged/json-schema";
import {
  ANY,
  BOOLEAN,
  FALSE,
  type Field,
  lazily,
  listOf,
  meet,
  NONE,
  NOTHING,
  NULL,
  numberIn,
  object,
  oneOfNumbers,
  oneOfStrings,
  type Shape,
  STRING,
  something,
  TRUE,
  union,
  unionOf,
  type Value,
} from "./value.js";

// The values that a JSON Schema accepts, at least: ignoring a keyword only accepts more. Objects and lists are read
// lazily, so a circular schema costs only what is read of it.

/** `left`: schemas that may still be read; after that everything is possible. This ends circular references. */
type Reader = {
  readonly root: JsonValue;
  readonly budget: { left: number };
  readonly what: string;
  /** By schema: its value; `null` while it is being read, to detect circles. */
  readonly known: Map<JsonValue, Value | null>;
};

/** Schemas read in one `meta`; the largest known one has a few hundred. */
const BUDGET = 4_000;
/** Nested references and unions, without a step into a field. */
const DEPTH = 24;

/** The values of a role's `meta`; `what` names them in sentences. */
export function valueOfSchema(meta: JsonValue, what: string): Value {
  const value = read({ root: meta, budget: { left: BUDGET }, what, known: new Map() }, meta, "output", 0);
  if (value.any) return something(value);
  const names = lazily(() => new Set(value.objects.flatMap((shape) => shape.names())));
  const objects = value.objects.map((shape) => ({
    ...shape,
    field: (name: string) => declared(shape.field(name), names(), name),
  }));
  return something({ ...value, objects });
}

/** As soon as a meta declares a field, the extract keeps only declared ones; of a union those of every branch. */
function declared(field: Field, names: ReadonlySet<string>, name: string): Field {
  return field.presence === "undeclared" && names.size > 0 && !names.has(name) ? NEVER : field;
}

function read(reader: Reader, schema: JsonValue, kind: Shape["kind"], depth: number): Value {
  reader.budget.left -= 1;
  if (schema === false) return NONE;
  if (!isObject(schema) || reader.budget.left < 0 || depth > DEPTH) return something(ANY);
  const known = reader.known.get(schema);
  if (known !== undefined) return known ?? something(ANY);
  reader.known.set(schema, null);
  const value = whole(reader, schema, kind, depth);
  reader.known.set(schema, value);
  return value;
}

/** The values of the schema including its references. */
function whole(reader: Reader, schema: JsonObject, kind: Shape["kind"], depth: number): Value {
  const further = (part: JsonValue): Value => read(reader, part, kind, depth + 1);
  let value = ownValue(reader, schema, kind);
  if (typeof schema.$ref === "string")
    value = meet(value, further(referred(reader.root, schema.$ref) ?? true));
  for (const part of listAt(schema, "allOf")) value = meet(value, further(part));
  for (const key of ["anyOf", "oneOf"]) {
    const branches = listAt(schema, key);
    if (branches.length > 0) value = meet(value, unionOf(branches.map(further)));
  }
  return value;
}

/** The values of the schema without its references. */
function ownValue(reader: Reader, schema: JsonObject, kind: Shape["kind"]): Value {
  let value = typedValue(reader, schema, kind);
  if (Array.isArray(schema.enum)) value = meet(value, enumerated(schema.enum));
  if (Object.hasOwn(schema, "const")) value = meet(value, enumerated([schema.const]));
  return value;
}

function typedValue(reader: Reader, schema: JsonObject, kind: Shape["kind"]): Value {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (schema.type !== undefined) {
    return unionOf(types.map((type) => valueOfType(reader, schema, kind, type)));
  }
  if (!SPEAKS.some((key) => Object.hasOwn(schema, key))) return something(ANY);
  return unionOf(TYPES.map((type) => valueOfType(reader, schema, kind, type)));
}

const TYPES = ["null", "boolean", "number", "string", "array", "object"];

/** Without `type`, keywords for objects, lists and numbers apply only to those. */
const SPEAKS = [
  ...["properties", "required", "additionalProperties", "patternProperties", "unevaluatedProperties"],
  ...["items", "prefixItems", "minItems", "maxItems", "minimum", "maximum"],
  ...["exclusiveMinimum", "exclusiveMaximum"],
];

function valueOfType(reader: Reader, schema: JsonObject, kind: Shape["kind"], type: unknown): Value {
  switch (type) {
    case "null":
      return NULL;
    case "boolean":
      return BOOLEAN;
    case "integer":
    case "number":
      return numberIn(
        Math.max(
          numberAt(schema, "minimum", Number.NEGATIVE_INFINITY),
          numberAt(schema, "exclusiveMinimum", Number.NEGATIVE_INFINITY),
        ),
        Math.min(
          numberAt(schema, "maximum", Number.POSITIVE_INFINITY),
          numberAt(schema, "exclusiveMaximum", Number.POSITIVE_INFINITY),
        ),
      );
    case "string":
      return STRING;
    case "array":
      return listOf(
        lazily(() => itemsOf(reader, schema)),
        numberAt(schema, "minItems", 0),
        numberAt(schema, "maxItems", Number.POSITIVE_INFINITY),
      );
    case "object":
      return object(shapeOf(reader, schema, kind));
    default:
      return something(ANY);
  }
}

function itemsOf(reader: Reader, schema: JsonObject): Value {
  const first = listAt(schema, "prefixItems").map((item) => read(reader, item, "object", 0));
  return union(unionOf(first), read(reader, schema.items ?? true, "object", 0));
}

function shapeOf(reader: Reader, schema: JsonObject, kind: Shape["kind"]): Shape {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(listAt(schema, "required"));
  const others = othersOf(reader, schema);
  const fields = new Map<string, Field>();
  const find = (name: string): Field => {
    if (Object.hasOwn(properties, name)) {
      const part = properties[name] ?? true;
      if (part === false) return NEVER;
      const inner = `${reader.what}'s ${name}`;
      const value = lazily(() => read({ ...reader, what: inner }, part, "object", 0));
      return { presence: required.has(name) ? "always" : "maybe", value };
    }
    if (!required.has(name)) return others;
    return { presence: "always", value: others.presence === "maybe" ? others.value : OPEN.value };
  };
  return {
    what: reader.what,
    kind,
    names: () => [...new Set([...Object.keys(properties), ...[...required].map(String)])],
    field: (name) => {
      const known = fields.get(name);
      if (known !== undefined) return known;
      const found = find(name);
      fields.set(name, found);
      return found;
    },
  };
}

const NEVER: Field = { presence: "never", value: () => NOTHING };
const UNDECLARED: Field = { presence: "undeclared", value: () => ANY };

const OPEN: Field = { presence: "maybe", value: () => something(ANY) };

/** Keywords that are not read, and may allow any field. */
const UNREAD = ["patternProperties", "if", "then", "else", "not", "dependentSchemas", "dependentRequired"];

/** Fields not in `properties`. */
function othersOf(reader: Reader, schema: JsonObject): Field {
  const { additionalProperties: others, unevaluatedProperties: left } = schema;
  if (schema.patternProperties === undefined && others === false) return NEVER;
  if (UNREAD.some((key) => schema[key] !== undefined)) return OPEN;
  const part = others ?? left;
  // `unevaluatedProperties` depends on other subschemas, which are not known here.
  if (part === undefined || part === false) return UNDECLARED;
  return { presence: "maybe", value: lazily(() => read(reader, part, "object", 0)) };
}

/** Literal values of `enum`, `const` and expressions. */
export function enumerated(values: readonly unknown[]): Value {
  const texts = values.filter((value) => typeof value === "string");
  const numbers = values.filter((value) => typeof value === "number");
  const known = texts.length > 0 ? ({ what: "value", names: texts } as const) : null;
  return unionOf([
    oneOfStrings(texts, known),
    oneOfNumbers(new Set(numbers)),
    ...values.map((value) => {
      if (value === null) return NULL;
      if (typeof value === "boolean") return value ? TRUE : FALSE;
      return typeof value === "object" ? something(ANY) : NONE;
    }),
  ]);
}

function numberAt(schema: JsonObject, key: string, otherwise: number): number {
  const value = schema[key];
  return typeof value === "number" ? value : otherwise;
}
