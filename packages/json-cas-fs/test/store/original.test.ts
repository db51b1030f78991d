import { join } from "node:path";
import { type Hash, refs, validate, verify, walk } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, type StoreProblem, verifyStore } from "../../src/index.js";

/** Written by the original program (store format 0.4). */
const ORIGINAL = join(import.meta.dirname, "../../../json-cas/test/fixtures/store-0.4/cas");

const VIOLATING = ["64KB4T4A9CKTS", "AP3XTF5PKRXC1", "AX8WFGW48YNGY"];

describe("a store of the original program", () => {
  it("opens, and all 28 hashes verify", () => {
    const store = createFsStore(ORIGINAL);
    const hashes = store.list();
    expect(hashes).toHaveLength(28);
    for (const hash of hashes) {
      const node = store.get(hash);
      expect(node !== null && verify(hash, node), hash).toBe(true);
    }
  });

  it("has every node in the index of its type", () => {
    const store = createFsStore(ORIGINAL);
    for (const hash of store.list()) expect(store.listByType(store.get(hash)?.type as Hash)).toContain(hash);
  });

  it("has no reference that leads nowhere", () => {
    const store = createFsStore(ORIGINAL);
    let found = 0;
    for (const hash of store.list()) {
      const node = store.get(hash);
      for (const target of node === null ? [] : refs(store, node)) {
        expect(store.has(target), target).toBe(true);
        found += 1;
      }
    }
    expect(found).toBeGreaterThan(20);
  });

  it("is walked from a node through everything it reaches, types too", () => {
    const store = createFsStore(ORIGINAL);
    const visited: (Hash | null)[] = [];
    walk(store, "64KB4T4A9CKTS" as Hash, ({ hash, node }) => visited.push(node === null ? null : hash), {
      followTypes: true,
    });
    expect(visited).not.toContain(null);
    expect(new Set(visited).size).toBe(visited.length);
  });

  it("accepts its self-typed root as a type", () => {
    const store = createFsStore(ORIGINAL);
    const roots = store.list().filter((hash) => store.get(hash)?.type === hash);
    expect(roots).toHaveLength(1);
    const root = store.get(roots[0] as Hash);
    expect(root !== null && validate(store, root)).toEqual([]);
  });

  it("has exactly three nodes that violate their own schemas", () => {
    const problems: StoreProblem[] = [];
    const figures = verifyStore(ORIGINAL, (problem) => problems.push(problem));
    expect(problems.map(({ hash }) => hash).sort()).toEqual(VIOLATING);
    expect(problems.map(({ kind }) => kind)).toEqual(VIOLATING.map(() => "invalid"));
    expect(figures).toMatchObject({
      nodes: 28,
      types: 8,
      references: 23,
      damaged: 3,
      staleIndexLines: 0,
      temporaryFiles: 0,
    });
  });
});
