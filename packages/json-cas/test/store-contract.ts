import { beforeEach, describe, expect, it } from "vitest";
import {
  bootstrap,
  CasError,
  computeHash,
  getSchema,
  type Hash,
  type JsonValue,
  META_SCHEMA,
  META_SCHEMA_HASH,
  putSchema,
  refs,
  resolveHash,
  type Store,
  validate,
  verify,
} from "../src/index.js";

/** Opens a new, empty store whose clock is `now` (epoch ms). */
export type MakeStore = (options: { readonly now: () => number }) => Store | Promise<Store>;

const NOTE = {
  type: "object",
  required: ["text"],
  properties: { text: { type: "string" }, next: { type: "string", format: "cas_ref" } },
  additionalProperties: false,
} as const;
const ANY_OBJECT = { type: "object" } as const;
const NOBODY = "0ZZZZZZZZZZZZ" as Hash;

/** What every backend must do, whatever it is made of. */
export function runStoreContract(name: string, makeStore: MakeStore): void {
  describe(`${name}: the store's contract`, () => {
    let clock: number;
    let store: Store;
    let note: Hash;
    let anyObject: Hash;

    beforeEach(async () => {
      clock = 1_000;
      store = await makeStore({ now: () => clock });
      note = await putSchema(store, NOTE);
      anyObject = await putSchema(store, ANY_OBJECT);
    });

    describe("put and get", () => {
      it("gives back what was put, under the hash that computeHash names", async () => {
        const hash = await store.put(note, { text: "hello" });
        expect(hash).toBe(computeHash(note, { text: "hello" }));
        expect(store.get(hash)).toEqual({ type: note, payload: { text: "hello" }, timestamp: 1_000 });
      });

      it("gives null for a hash that nobody put", () => {
        expect(store.get(NOBODY)).toBeNull();
        expect(store.has(NOBODY)).toBe(false);
      });

      it("knows what it has", async () => {
        const hash = await store.put(note, { text: "x" });
        expect(store.has(hash)).toBe(true);
        expect(store.has(META_SCHEMA_HASH)).toBe(true);
      });

      it("keeps the first timestamp when the same content is put again", async () => {
        const hash = await store.put(note, { text: "once" });
        clock = 2_000;
        expect(await store.put(note, { text: "once" })).toBe(hash);
        expect(store.get(hash)?.timestamp).toBe(1_000);
        expect(store.listByType(note)).toEqual([hash]);
      });

      it("does not depend on the order of keys", async () => {
        const one = await store.put(anyObject, { a: 1, bb: { c: 2, d: 3 } });
        expect(await store.put(anyObject, { bb: { d: 3, c: 2 }, a: 1 })).toBe(one);
      });

      it("gives the keys in the order of the stored bytes, at any depth: shorter ones first", async () => {
        const hash = await store.put(anyObject, { verdict: 1, ok: { bb: 1, a: [{ y: 1, x: 2 }] } });
        expect(JSON.stringify(store.get(hash)?.payload)).toBe(
          '{"ok":{"a":[{"x":2,"y":1}],"bb":1},"verdict":1}',
        );
      });

      it("tells the same payload under two types apart", async () => {
        expect(await store.put(note, { text: "x" })).not.toBe(await store.put(anyObject, { text: "x" }));
      });

      it("takes -0 for 0", async () => {
        const hash = await store.put(anyObject, { n: -0 });
        expect(await store.put(anyObject, { n: 0 })).toBe(hash);
        expect(store.get(hash)?.payload).toStrictEqual({ n: 0 });
      });

      it("gives nodes that cannot be changed, at any depth", async () => {
        const hash = await store.put(anyObject, { list: [{ deep: 1 }] });
        const node = store.get(hash);
        const payload = node?.payload as { list: { deep: number }[] };
        expect(Object.isFrozen(node)).toBe(true);
        expect([payload, payload.list, payload.list[0]].every(Object.isFrozen)).toBe(true);
      });

      it("keeps a copy: changing the original later changes nothing", async () => {
        const original = { list: [1] };
        const hash = await store.put(anyObject, original);
        original.list.push(2);
        expect(store.get(hash)?.payload).toEqual({ list: [1] });
      });

      it("keeps __proto__ and constructor as ordinary keys", async () => {
        const odd = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": 3}') as JsonValue;
        const payload = store.get(await store.put(anyObject, odd))?.payload as object;
        expect(Object.keys(payload).sort()).toEqual(["__proto__", "constructor", "toString"]);
        expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
        expect(({} as Record<string, unknown>).a).toBeUndefined();
      });

      it("keeps every kind of number and text as it was", async () => {
        const values = {
          n: [0, -1, 1.5, 2 ** 53, 1e300, 5e-324],
          t: ["", "é", "\u0000", "\ud83d\ude00", "\ufffd"],
        };
        expect(store.get(await store.put(anyObject, values))?.payload).toEqual(values);
      });
    });

    describe("lists", () => {
      it("lists every node once, sorted", async () => {
        const hashes = [await store.put(note, { text: "b" }), await store.put(note, { text: "a" })];
        await store.put(note, { text: "a" });
        expect(store.list()).toEqual([META_SCHEMA_HASH, note, anyObject, ...hashes].sort());
      });

      it("lists the nodes of one type, sorted", async () => {
        const hashes = [await store.put(note, { text: "b" }), await store.put(note, { text: "a" })];
        await store.put(anyObject, {});
        expect(store.listByType(note)).toEqual(hashes.sort());
      });

      it("lists the meta-schema among the schemas, as it is its own type", () => {
        expect(store.listByType(META_SCHEMA_HASH)).toEqual([META_SCHEMA_HASH, note, anyObject].sort());
      });

      it("lists nothing for a type without nodes", () => {
        expect(store.listByType(NOBODY)).toEqual([]);
      });
    });

    describe("refusals write nothing", () => {
      const refused: readonly (readonly [string, () => [Hash, unknown], string])[] = [
        ["an unknown type", () => [NOBODY, {}], "UNKNOWN_TYPE"],
        ["a type that is no hash", () => ["nonsense" as Hash, {}], "MALFORMED_HASH"],
        ["a payload that violates its schema", () => [note, { text: 1 }], "INVALID_PAYLOAD"],
        ["a schema that is none", () => [META_SCHEMA_HASH, { type: "strin" }], "INVALID_SCHEMA"],
        ["undefined", () => [anyObject, { a: undefined }], "NOT_STORABLE"],
        ["NaN", () => [anyObject, { a: Number.NaN }], "NOT_STORABLE"],
        ["a lone surrogate", () => [anyObject, { a: "\ud800" }], "NOT_STORABLE"],
      ];
      for (const [what, make, code] of refused) {
        it(`refuses ${what} with ${code}`, async () => {
          const before = store.list();
          const [type, payload] = make();
          await expect(store.put(type, payload as JsonValue)).rejects.toThrow(CasError);
          await expect(store.put(type, payload as JsonValue)).rejects.toMatchObject({ fault: { code } });
          expect(store.list()).toEqual(before);
          expect(store.listByType(note)).toEqual([]);
        });
      }

      it("refuses a type that is a node but no schema", async () => {
        const hash = await store.put(note, { text: "I am no schema" });
        await expect(store.put(hash, {})).rejects.toMatchObject({ fault: { code: "UNKNOWN_TYPE" } });
      });

      it("leaves an empty store empty when the first schema is refused", async () => {
        const empty = await makeStore({ now: () => clock });
        const before = empty.list();
        await expect(putSchema(empty, { tipe: "object" })).rejects.toMatchObject({
          fault: { code: "INVALID_SCHEMA" },
        });
        expect(empty.list()).toEqual(before);
      });

      it("names all violations", async () => {
        const put = store.put(note, { next: "x", more: 1 });
        await expect(put).rejects.toMatchObject({
          fault: {
            violations: [
              expect.objectContaining({ path: "/text", keyword: "required" }),
              expect.objectContaining({ path: "/next", keyword: "format" }),
              expect.objectContaining({ path: "/more", keyword: "additionalProperties" }),
            ],
          },
        });
      });
    });

    describe("schemas", () => {
      it("bootstraps to one self-typed node that is always the same", async () => {
        expect(await bootstrap(store)).toBe(META_SCHEMA_HASH);
        expect(store.get(META_SCHEMA_HASH)).toEqual({
          type: META_SCHEMA_HASH,
          payload: META_SCHEMA,
          timestamp: 1_000,
        });
      });

      it("gives back the schema that was put", () => {
        expect(getSchema(store, note)).toEqual(NOTE);
        expect(getSchema(store, META_SCHEMA_HASH)).toEqual(META_SCHEMA);
      });

      it("gives no schema for a node that is none, nor for one that is missing", async () => {
        expect(getSchema(store, await store.put(note, { text: "x" }))).toBeNull();
        expect(getSchema(store, NOBODY)).toBeNull();
      });

      it("stores a schema under one hash, however its keys are ordered", async () => {
        expect(await putSchema(store, Object.fromEntries(Object.entries(NOTE).reverse()))).toBe(note);
      });
    });

    it("serves what works on stores: verify, validate, refs, resolveHash", async () => {
      const first = await store.put(note, { text: "first" });
      const second = await store.put(note, { text: "second", next: first });
      const node = store.get(second);
      if (node === null) throw new Error("just put");
      expect(verify(second, node)).toBe(true);
      expect(validate(store, node)).toEqual([]);
      expect(refs(store, node)).toEqual([first]);
      expect(resolveHash(store, second.slice(0, 9).toLowerCase())).toBe(second);
    });

    it("takes concurrent puts, of equal and of different content", async () => {
      const texts = Array.from({ length: 50 }, (_, index) => `note ${index % 25}`);
      const hashes = await Promise.all(texts.map((text) => store.put(note, { text })));
      expect(new Set(hashes).size).toBe(25);
      expect(store.listByType(note)).toEqual([...new Set(hashes)].sort());
    });
  });
}
