import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  decodeNode,
  encodeNode,
  getSchema,
  type Hash,
  refs,
  type Store,
  validate,
  verify,
  walk,
} from "../../src/index.js";

// Written by the original `uwf`; its schemas hang on a self-typed root that is not our meta-schema.
const CAS = new URL("../fixtures/store-0.4/cas/", import.meta.url);
const ROOT = "B3NCX47GJCS7A" as Hash;
const HEAD = "F03Q15Q1S6ZR4" as Hash;
const hashes = readdirSync(CAS)
  .filter((name) => name.endsWith(".bin"))
  .map((name) => name.slice(0, -4) as Hash);
const store: Pick<Store, "get" | "has"> = {
  get: (hash) => (hashes.includes(hash) ? decodeNode(readFileSync(new URL(`${hash}.bin`, CAS))) : null),
  has: (hash) => hashes.includes(hash),
};

describe("a store of the original uwf", () => {
  it("has 28 nodes that decode, whose bytes are ours and whose hashes hold", () => {
    expect(hashes).toHaveLength(28);
    for (const hash of hashes) {
      const node = store.get(hash);
      if (node === null) throw new Error(`${hash} is listed`);
      expect(Buffer.compare(encodeNode(node), readFileSync(new URL(`${hash}.bin`, CAS)))).toBe(0);
      expect(verify(hash, node)).toBe(true);
    }
  });

  it("has a root of its own, under which its schemas are schemas", () => {
    expect(store.get(ROOT)?.type).toBe(ROOT);
    expect(getSchema(store, ROOT)).not.toBeNull();
    expect(getSchema(store, "9C2318PXN2HYE" as Hash)).toMatchObject({ title: "StepNode" });
    expect(getSchema(store, HEAD)).toBeNull();
  });

  it("has three nodes that violate their own schemas, and whose references are all there", () => {
    const invalid: Hash[] = [];
    for (const hash of hashes) {
      const node = store.get(hash);
      if (node === null) throw new Error(`${hash} is listed`);
      if (validate(store, node).length > 0) invalid.push(hash);
      expect(refs(store, node).every(store.has)).toBe(true);
    }
    expect(invalid.sort()).toEqual(["64KB4T4A9CKTS", "AP3XTF5PKRXC1", "AX8WFGW48YNGY"]);
  });

  it("can be walked from its head to the workflow", () => {
    const found = new Map<Hash, boolean>();
    walk(store, HEAD, ({ hash, node }) => found.set(hash, node !== null), { followTypes: true });
    expect([...found.values()].every(Boolean)).toBe(true);
    expect([...found.keys()]).toEqual(expect.arrayContaining([ROOT, "CXH1MA0XS9ZR0", "1T9KV8QK72HE3"]));
  });
});
