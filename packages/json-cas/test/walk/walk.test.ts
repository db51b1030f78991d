import { describe, expect, it } from "vitest";
import {
  CasError,
  createMemoryStore,
  type Hash,
  META_SCHEMA_HASH,
  putSchema,
  type Store,
  type WalkOptions,
  type WalkVisit,
  walk,
} from "../../src/index.js";

const REF = { type: "string", format: "cas_ref" } as const;
const LINKS = {
  type: "object",
  properties: { name: { type: "string" }, to: { type: "array", items: REF } },
} as const;
const MISSING = "0000000000000" as Hash;

async function open(): Promise<{
  store: Store;
  type: Hash;
  put: (name: string, ...to: Hash[]) => Promise<Hash>;
}> {
  const store = createMemoryStore({ now: () => 0 });
  const type = await putSchema(store, LINKS);
  return { store, type, put: (name, ...to) => store.put(type, { name, to }) };
}

function visits(store: Store, hash: Hash, options?: WalkOptions): WalkVisit[] {
  const found: WalkVisit[] = [];
  walk(store, hash, (visit) => found.push(visit), options);
  return found;
}

describe("walk", () => {
  it("visits each node once, breadth first, in the order of references", async () => {
    const { store, put } = await open();
    const leaf = await put("leaf");
    const left = await put("left", leaf);
    const right = await put("right", leaf, left);
    const root = await put("root", right, left);
    expect(visits(store, root).map(({ hash, referrer }) => [hash, referrer])).toEqual([
      [root, null],
      [right, root],
      [left, root],
      [leaf, right],
    ]);
  });

  it("reports a missing node instead of skipping it", async () => {
    const { store, put } = await open();
    const root = await put("root", MISSING);
    expect(visits(store, root)[1]).toEqual({ hash: MISSING, node: null, referrer: root });
    expect(visits(store, MISSING)).toEqual([{ hash: MISSING, node: null, referrer: null }]);
  });

  it("follows types when asked to, up to the meta-schema", async () => {
    const { store, type, put } = await open();
    const leaf = await put("leaf");
    const root = await put("root", leaf);
    const found = visits(store, root, { followTypes: true }).map(({ hash }) => hash);
    expect(found).toEqual([root, leaf, type, META_SCHEMA_HASH]);
    expect(visits(store, root).map(({ hash }) => hash)).toEqual([root, leaf]);
  });

  it("passes on that a node is damaged", async () => {
    const { store, put } = await open();
    const leaf = await put("leaf");
    const root = await put("root", leaf);
    const damaged: Pick<Store, "get"> = {
      get: (hash) => {
        if (hash !== leaf) return store.get(hash);
        throw new CasError({ code: "NODE_DAMAGED", hash, file: null, reason: "test" });
      },
    };
    expect(() => walk(damaged, root, () => {})).toThrow(/is damaged/);
  });

  it("goes down a chain of a million nodes without running out of stack or time", async () => {
    const { store, type } = await open();
    // The chain is not stored but made up: node n refers to node n + 1.
    const last = 1_000_000;
    const hashOf = (index: number): Hash => String(index).padStart(13, "0") as Hash;
    const chain: Pick<Store, "get"> = {
      get: (hash) => {
        if (!/^\d+$/.test(hash)) return store.get(hash);
        const index = Number(hash);
        return { type, payload: { to: index === last ? [] : [hashOf(index + 1)] }, timestamp: 0 };
      },
    };
    let count = 0;
    walk(chain, hashOf(1), () => {
      count += 1;
    });
    expect(count).toBe(last);
  });
});
