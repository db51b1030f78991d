import { beforeAll, describe, expect, it } from "vitest";
import {
  builtInTypes,
  computeHash,
  createMemoryStore,
  declareTypes,
  encodeNode,
  getSchema,
  type Hash,
  hashBytes,
  type JsonValue,
  META_SCHEMA,
  META_SCHEMA_HASH,
  putSchema,
  refs,
  selfHash,
  validate,
  verify,
  verifyEncoded,
} from "../../src/index.js";
import { secondPreimage } from "../support/second-preimage.js";

const SCHEMA: JsonValue = {
  title: "a built-in type of a test",
  type: "object",
  properties: { to: { type: "string", format: "cas_ref" } },
  additionalProperties: false,
};
const TYPE = computeHash(META_SCHEMA_HASH, SCHEMA);
const TEXT: JsonValue = { title: "a text", type: "object", properties: { text: { type: "string" } } };
const TEXT_TYPE = computeHash(META_SCHEMA_HASH, TEXT);
const AT = 1_700_000_000_000;

const schemaWith = (title: string): JsonValue => ({ type: "object", unevaluatedProperties: { title } });

beforeAll(() => declareTypes([[TYPE, SCHEMA]]));

describe("another content can be made for any hash", () => {
  it.each([
    ["a schema", TYPE, META_SCHEMA_HASH],
    ["a node of another type", TYPE, TEXT_TYPE],
    ["a node of any hash", "0123456789ABC" as Hash, TEXT_TYPE],
  ])("%s", (_what, hash, type) => {
    const payload = secondPreimage(hash, type, type === META_SCHEMA_HASH ? schemaWith : (text) => ({ text }));
    expect(computeHash(type, payload)).toBe(hash);
  });

  it("one that is its own type", () => {
    expect(selfHash(secondPreimage(META_SCHEMA_HASH, null, schemaWith))).toBe(META_SCHEMA_HASH);
    expect(hashBytes(Buffer.from(""))).not.toBe(META_SCHEMA_HASH);
  });
});

describe.each([
  ["a schema under the hash of a built-in type", TYPE, META_SCHEMA_HASH, schemaWith],
  ["a node of another type under it", TYPE, TEXT_TYPE, (text: string) => ({ text })],
  ["a schema under the hash of the meta-schema", META_SCHEMA_HASH, META_SCHEMA_HASH, schemaWith],
  ["a node of another type under it", META_SCHEMA_HASH, TEXT_TYPE, (text: string) => ({ text })],
] as const)("%s", (_what, hash, type, payloadOf) => {
  const isSelfTyped = hash === type;
  const payload = secondPreimage<JsonValue>(hash, isSelfTyped ? null : type, payloadOf);
  const node = { type, payload, timestamp: AT };

  it("is not the node that the hash names", () => {
    expect(verify(hash, node)).toBe(false);
    expect(verifyEncoded(hash, node, encodeNode(node))).toBe(false);
  });

  it("cannot be put, whether the type is there or not", async () => {
    for (const isThere of [false, true]) {
      const store = createMemoryStore();
      await putSchema(store, TEXT);
      if (isThere) await putSchema(store, SCHEMA);
      const list = store.list();
      // The meta-schema's own hash is the one of a self-typed node, which nobody puts.
      if (isSelfTyped) expect(await store.put(type, payload)).not.toBe(hash);
      else
        await expect(store.put(type, payload)).rejects.toMatchObject({
          fault: { code: "HASH_COLLISION", hash },
        });
      if (!isSelfTyped) expect(store.list()).toEqual(list);
    }
  });

  it("decides nothing, even for a reader that believes it", () => {
    const to = "0123456789ABC" as Hash;
    const believing = { get: (wanted: Hash) => (wanted === hash ? node : null) };
    expect(getSchema(believing, hash)).toEqual(builtInTypes.get(hash));
    if (hash !== TYPE) return;
    expect(refs(believing, { type: TYPE, payload: { to }, timestamp: AT })).toEqual([to]);
    expect(validate(believing, { type: TYPE, payload: { other: 1 }, timestamp: AT })).toHaveLength(1);
  });
});

it("a built-in type itself can be put, read and checked", async () => {
  const store = createMemoryStore();
  expect(await putSchema(store, SCHEMA)).toBe(TYPE);
  expect(verify(TYPE, store.get(TYPE)!)).toBe(true);
  expect(store.get(META_SCHEMA_HASH)?.payload).toEqual(META_SCHEMA);
});
