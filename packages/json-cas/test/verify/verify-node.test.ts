import { describe, expect, it } from "vitest";
import {
  CasError,
  type CasNode,
  createMemoryStore,
  type Hash,
  putSchema,
  verify,
  verifyNode,
} from "../../src/index.js";

const MISSING = "0000000000000" as Hash;

async function open() {
  const store = createMemoryStore();
  const type = await putSchema(store, { properties: { to: { type: "string", format: "cas_ref" } } });
  const sound = await store.put(type, { to: type });
  const dangling = await store.put(type, { to: MISSING });
  return { store, type, sound, dangling };
}

describe("verifyNode", () => {
  it("finds nothing wrong with a sound node", async () => {
    const { store, sound, type } = await open();
    expect(verifyNode(store, sound)).toEqual([]);
    expect(verifyNode(store, type)).toEqual([]);
  });

  it("finds references to nodes that are missing, and missing nodes", async () => {
    const { store, dangling } = await open();
    expect(verifyNode(store, dangling)).toEqual([{ kind: "dangling", hash: dangling, missing: [MISSING] }]);
    expect(verifyNode(store, MISSING)).toEqual([{ kind: "missing", hash: MISSING }]);
  });

  it("finds a node under a hash that is not its own", async () => {
    const { store, sound } = await open();
    const moved = { ...store, get: (hash: Hash) => store.get(hash === MISSING ? sound : hash) };
    expect(verifyNode(moved, MISSING)).toEqual([{ kind: "wrong-hash", hash: MISSING }]);
  });

  it("finds a node whose type is gone, damaged or no schema", async () => {
    const { store, type, sound } = await open();
    const finding = [{ kind: "unknown-type", hash: sound, type }];
    const without = (answer: () => CasNode | null) => ({
      ...store,
      get: (hash: Hash) => (hash === type ? answer() : store.get(hash)),
    });
    expect(
      verifyNode(
        without(() => null),
        sound,
      ),
    ).toEqual(finding);
    expect(
      verifyNode(
        without(() => ({ type: sound, payload: {}, timestamp: 0 })),
        sound,
      ),
    ).toEqual(finding);
    const damaged = without(() => {
      throw new CasError({ code: "NODE_DAMAGED", hash: type, file: null, reason: "test" });
    });
    expect(verifyNode(damaged, sound)).toEqual(finding);
    expect(verifyNode(damaged, type)).toEqual([{ kind: "damaged", hash: type, reason: "test" }]);
  });
});

describe("verify", () => {
  it("does not depend on the timestamp, but on type and payload", async () => {
    const { store, sound, type } = await open();
    const node = store.get(sound);
    if (node === null) throw new Error("just put");
    expect(verify(sound, { ...node, timestamp: 1 })).toBe(true);
    expect(verify(sound, { ...node, type: sound })).toBe(false);
    expect(verify(sound, { ...node, payload: {} })).toBe(false);
    expect(verify(type, node)).toBe(false);
  });
});
