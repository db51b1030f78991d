import type { AuthoredRole } from "@uncaged/workflow-protocol";

export type Schema = AuthoredRole["meta"];

/** The depth limit for circular references. */
const DEPTH = 32;

/** The limit of branches, which multiply at each level. */
const BRANCHING_DEPTH = 6;

/** Whether every instance is an object, by `type: object` at the root or in every branch of a root oneOf or anyOf. */
export function isObjectSchema(root: Schema, schema: unknown = root, depth = 0): boolean {
  if (!isSchema(schema) || depth > DEPTH) return false;
  if (typesOf(schema).length > 0) return typesOf(schema).every((type) => type === "object");
  const branches = branchesOf(schema);
  if (branches !== null) return branches.every((branch) => isObjectSchema(root, branch, depth + 1));
  const target = referred(root, schema);
  return target !== null && isObjectSchema(root, target, depth + 1);
}

/** Whether every valid instance has the fields along the path; `false` if unknown. */
export function requires(
  root: Schema,
  fields: readonly string[],
  schema: unknown = root,
  depth = 0,
): boolean {
  const [field, ...rest] = fields;
  if (field === undefined) return true;
  if (!isSchema(schema) || depth > BRANCHING_DEPTH) return false;
  const further = (part: unknown): boolean => requires(root, fields, part, depth + 1);
  // A path continues in each item of a list; the list may be empty.
  if (typesOf(schema).includes("array") && further(schema.items)) return true;
  if (requiresOwn(schema, field)) {
    return rest.length === 0 || requires(root, rest, propertyOf(schema, field), depth + 1);
  }
  const target = referred(root, schema);
  if (target !== null && further(target)) return true;
  if (listOf(schema.allOf).some(further)) return true;
  return [schema.anyOf, schema.oneOf].some((list) => listOf(list).length > 0 && listOf(list).every(further));
}

/** Whether the schema declares the field; an undeclared one gets another message. */
export function declaredFields(root: Schema, schema: unknown = root, depth = 0): readonly string[] {
  if (!isSchema(schema) || depth > BRANCHING_DEPTH) return [];
  const own = isSchema(schema.properties) ? Object.keys(schema.properties) : [];
  return [...own, ...partsOf(root, schema).flatMap((part) => declaredFields(root, part, depth + 1))];
}

/** Every schema that the meta has for a field of this name. */
export function propertiesOf(
  root: Schema,
  field: string,
  schema: unknown = root,
  depth = 0,
): readonly unknown[] {
  if (!isSchema(schema) || depth > BRANCHING_DEPTH) return [];
  const { properties } = schema;
  const own = isSchema(properties) && Object.hasOwn(properties, field) ? [properties[field]] : [];
  const followed = own.flatMap((each) => (isSchema(each) ? [each, referred(root, each)] : [each]));
  const parts = partsOf(root, schema);
  return [...followed, ...parts.flatMap((part) => propertiesOf(root, field, part, depth + 1))];
}

/** The schemas that say something of the same instance: all of them, or one. */
function partsOf(root: Schema, schema: Schema): readonly unknown[] {
  return [...listOf(schema.allOf), ...listOf(schema.anyOf), ...listOf(schema.oneOf), referred(root, schema)];
}

function requiresOwn(schema: Schema, field: string): boolean {
  return listOf(schema.required).includes(field);
}

export function propertyOf(schema: Schema, field: string): unknown {
  const { properties } = schema;
  return isSchema(properties) && Object.hasOwn(properties, field) ? properties[field] : null;
}

export function typesOf(schema: Schema): readonly unknown[] {
  const { type } = schema;
  return type === undefined ? [] : Array.isArray(type) ? type : [type];
}

function branchesOf(schema: Schema): readonly unknown[] | null {
  const lists = [schema.oneOf, schema.anyOf].map(listOf).filter((list) => list.length > 0);
  return lists[0] ?? null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Resolves a local `$ref`: `#`, `#/$defs/name`. */
function referred(root: Schema, { $ref }: Schema): unknown {
  if (typeof $ref !== "string" || !/^#(\/|$)/.test($ref)) return null;
  const parts = $ref.split("/").slice(1).map(unescaped);
  return parts.reduce<unknown>(
    (at, part) => (isContainer(at) && Object.hasOwn(at, part) ? at[part] : null),
    root,
  );
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

export function isSchema(value: unknown): value is Schema {
  return isContainer(value) && !Array.isArray(value);
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
