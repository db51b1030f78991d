import {
  CasError,
  getSchema,
  type Hash,
  type JsonValue,
  META_SCHEMA_HASH,
  putSchema,
  resolveHash,
  type Store,
  type Violation,
  validate,
  validatePayload,
} from "@uncaged/json-cas";
import { listTypes } from "@uncaged/json-cas-fs";
import { readJsonArgument } from "../input.js";
import { done, namedNode } from "./nodes.js";
import type { Answer, CasCommand, Tools } from "./types.js";

export const schemaGet: CasCommand<{ readonly hash: string }> = ({ store }, { hash }) =>
  done(namedSchema(store, hash));

/** The schema that a person named; throws if there is no such node or it is not a schema. */
export function namedSchema(store: Store, text: string): JsonValue {
  const hash = resolveHash(store, text);
  const schema = getSchema(store, hash);
  if (schema === null) throw new CasError({ code: "UNKNOWN_TYPE", type: hash });
  return schema;
}

type Listed = { readonly hash: Hash; readonly title: string | null };

/** Every schema: the roots (self-typed nodes) first, ours before others, then by title. */
export const schemaList: CasCommand<Readonly<Record<never, never>>> = ({ dir, store }) => {
  const roots = rootsOf(dir, store);
  const isRoot = new Set(roots);
  const others = roots.flatMap((root) => store.listByType(root)).filter((hash) => !isRoot.has(hash));
  const listed = others.map((hash) => listedSchema(store, hash)).sort(byTitle);
  return done([...roots.map((root) => listedSchema(store, root)), ...listed]);
};

/** A root is listed under itself, so the index names every one. */
function rootsOf(dir: string, store: Store): readonly Hash[] {
  const roots = listTypes(dir).filter((type) => store.get(type)?.type === type);
  return roots.sort((left, right) => Number(right === META_SCHEMA_HASH) - Number(left === META_SCHEMA_HASH));
}

function listedSchema(store: Store, hash: Hash): Listed {
  return { hash, title: titleOf(store.get(hash)?.payload ?? null) };
}

function titleOf(schema: JsonValue): string | null {
  if (typeof schema !== "object" || schema === null || !("title" in schema)) return null;
  return typeof schema.title === "string" ? schema.title : null;
}

/** Those without a title last; by code unit, the same everywhere. */
function byTitle(left: Listed, right: Listed): number {
  if (left.title === right.title) return left.hash < right.hash ? -1 : 1;
  if (left.title === null || right.title === null) return left.title === null ? 1 : -1;
  return left.title < right.title ? -1 : 1;
}

export const schemaPut: CasCommand<{ readonly json: string }> = async ({ store, readStdin }, { json }) =>
  done({ hash: await putSchema(store, readJsonArgument(json, readStdin)) });

type ValidateRequest = { readonly hash: string; readonly json: string | null };

/** With JSON: whether it satisfies the schema. Without: whether the stored node satisfies its own. */
export const schemaValidate: CasCommand<ValidateRequest> = (tools, { hash, json }) =>
  answer(json === null ? violationsOfNode(tools.store, hash) : violationsOfJson(tools, hash, json));

function violationsOfNode(store: Store, text: string): readonly Violation[] {
  const { node } = namedNode(store, text);
  namedSchema(store, resolveHash(store, node.type));
  return validate(store, node);
}

function violationsOfJson({ store, readStdin }: Tools, text: string, json: string): readonly Violation[] {
  const schema = namedSchema(store, text);
  return validatePayload(schema, readJsonArgument(json, readStdin));
}

function answer(violations: readonly Violation[]): Answer {
  const valid = violations.length === 0;
  return { document: { valid, violations }, exitCode: valid ? 0 : 4 };
}
