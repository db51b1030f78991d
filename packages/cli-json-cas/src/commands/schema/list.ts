import { type Hash, type JsonValue, META_SCHEMA_HASH, type Store } from "@uncaged/json-cas";
import { listTypes } from "@uncaged/json-cas-fs";
import { defineCommand } from "../../define.js";
import { done } from "../nodes.js";

/** Every schema: the roots (self-typed nodes) first, ours before others, then by title. */
export const command = defineCommand(() => ({
  path: "schema list",
  summary: "print all schemas: [{hash, title}], the meta-schema first",
  examples: ["schema list"],
  sample: {
    line: "schema list",
    prints: `[
  {
    "hash": "6SRVT3BFQTWV3",
    "title": "JSON Schema"
  },
…`,
  },
  run: ({ dir, store }) => {
    const roots = readRoots(dir, store);
    const isRoot = new Set(roots);
    const others = roots.flatMap((root) => store.listByType(root)).filter((hash) => !isRoot.has(hash));
    const listed = others.map((hash) => listedSchema(store, hash)).sort(byTitle);
    return done([...roots.map((root) => listedSchema(store, root)), ...listed]);
  },
}));

type Listed = { readonly hash: Hash; readonly title: string | null };

/** A root is listed under itself, so the index names every one. */
function readRoots(dir: string, store: Store): readonly Hash[] {
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
