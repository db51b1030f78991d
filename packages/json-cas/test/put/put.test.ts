import { describe, expect, it } from "vitest";
import { type Hasher, hashBytes } from "../../src/hash.js";
import {
  type Backend,
  CasError,
  type CasNode,
  computeHash,
  createMemoryStore,
  type Hash,
  META_SCHEMA_HASH,
  putNode,
  putSchema,
} from "../../src/index.js";
import { createMemoryStoreWith } from "../../src/store.js";

const SAME = "0000000000000" as Hash;

/** Gives all payloads that hold the word "twin" one hash. */
const weak: Hasher = (bytes) => (Buffer.from(bytes).includes("twin") ? SAME : hashBytes(bytes));

describe("put, when two contents have one hash", () => {
  it("refuses the second content and keeps the first", async () => {
    const store = createMemoryStoreWith(weak, () => 0);
    const type = await putSchema(store, { type: "string" });
    expect(await store.put(type, "twin one")).toBe(SAME);
    expect(await store.put(type, "twin one")).toBe(SAME);
    await expect(store.put(type, "twin two")).rejects.toMatchObject({
      fault: { code: "HASH_COLLISION", hash: SAME },
    });
    expect(store.get(SAME)?.payload).toBe("twin one");
  });

  it("refuses the same content under another type", async () => {
    const store = createMemoryStoreWith(weak, () => 0);
    const text = await putSchema(store, { type: "string" });
    const short = await putSchema(store, { type: "string", maxLength: 99 });
    await store.put(text, "twin");
    await expect(store.put(short, "twin")).rejects.toMatchObject({ fault: { code: "HASH_COLLISION" } });
  });
});

type Call = readonly [name: string, hash: Hash];

/** A backend over a map, whose reads can be made to answer something else. */
async function open(read: (hash: Hash, node: CasNode | null) => CasNode | null) {
  const store = createMemoryStore({ now: () => 1 });
  const type = await putSchema(store, { type: "string" });
  const nodes = new Map<Hash, CasNode>();
  const calls: Call[] = [];
  const write =
    (name: string) =>
    (hash: Hash, node: CasNode): boolean => {
      calls.push([name, hash]);
      nodes.set(hash, node);
      return true;
    };
  const backend: Backend = {
    get: (hash) => store.get(hash) ?? read(hash, nodes.get(hash) ?? null),
    lacks: () => false,
    create: write("create"),
    replace: write("replace"),
    confirm: (hash) => void calls.push(["confirm", hash]),
    now: () => 7,
  };
  return { type, nodes, calls, backend };
}

describe("putNode", () => {
  it("creates what is absent and confirms what is there", async () => {
    const { type, nodes, calls, backend } = await open((_, node) => node);
    const hash = putNode(backend, type, "x");
    putNode(backend, type, "x");
    expect(calls).toEqual([
      ["create", hash],
      ["confirm", hash],
    ]);
    expect(nodes.get(hash)).toEqual({ type, payload: "x", timestamp: 7 });
  });

  it("replaces what is damaged", async () => {
    const { type, calls, backend } = await open((hash) => {
      throw new CasError({ code: "NODE_DAMAGED", hash, file: null, reason: "test" });
    });
    const hash = putNode(backend, type, "x");
    expect(calls).toEqual([["replace", hash]]);
  });

  it("looks again when another writer was faster, and compares", async () => {
    const { type, calls, backend } = await open((_, node) => node);
    const hash = computeHash(type, "x");
    const slow: Backend = {
      ...backend,
      create: (...node) => {
        backend.create(...node);
        return false;
      },
    };
    expect(putNode(slow, type, "x")).toBe(hash);
    expect(calls).toEqual([
      ["create", hash],
      ["confirm", hash],
    ]);
  });

  it("gives up on a node that appears and vanishes again and again", async () => {
    const { type, backend } = await open(() => null);
    expect(() => putNode({ ...backend, create: () => false }, type, "x")).toThrow(/appears and vanishes/);
  });

  it("passes on other faults of the backend", async () => {
    const { type, backend } = await open(() => {
      throw new CasError({
        code: "IO_FAILED",
        operation: "read",
        path: "p",
        errno: "EACCES",
        reason: "denied",
      });
    });
    expect(() => putNode(backend, type, "x")).toThrow(/EACCES/);
  });
});

describe("putNode", () => {
  const foreignRoot = { version: "1" };
  const backendOf = (nodes: ReadonlyMap<Hash, CasNode>): Backend => ({
    get: (hash) => nodes.get(hash) ?? null,
    lacks: () => false,
    create: () => true,
    replace: () => {},
    confirm: () => {},
    now: () => 0,
  });

  it("takes the meta-schema under its own hash, before there is any type", () => {
    expect(() => putNode(backendOf(new Map()), META_SCHEMA_HASH, { type: "string" })).toThrow(
      /is not a schema in this store/,
    );
  });

  it("checks a schema of foreign origin before it trusts it", async () => {
    const { selfHash } = await import("../../src/index.js");
    const root = selfHash(foreignRoot);
    const good = "1111111111111" as Hash;
    const bad = "2222222222222" as Hash;
    const nodes = new Map<Hash, CasNode>([
      [root, { type: root, payload: foreignRoot, timestamp: 0 }],
      [good, { type: root, payload: { type: "string" }, timestamp: 0 }],
      [bad, { type: root, payload: { type: "strin" }, timestamp: 0 }],
    ]);
    const store = backendOf(nodes);
    expect(putNode(store, good, "x")).toBe(computeHash(good, "x"));
    expect(() => putNode(store, good, 1)).toThrow(/expected string, got 1/);
    expect(() => putNode(store, bad, "x")).toThrow(/not a valid JSON Schema/);
    expect(() => putNode(store, root, { type: "strin" })).toThrow(/not a valid JSON Schema/);
  });
});
