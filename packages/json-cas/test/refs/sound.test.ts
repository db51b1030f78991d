import { describe, expect, it } from "vitest";
import {
  canRefer,
  createMemoryStore,
  decode,
  encode,
  type Hash,
  type JsonObject,
  type JsonValue,
  putSchema,
  refPlacesIfSound,
  refs,
  refsIfSound,
  validate,
} from "../../src/index.js";

const REF = { type: "string", format: "cas_ref" };
const HASH = "0123456789ABC" as Hash;
const OTHER = "F0000000000ZZ" as Hash;

const closed = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  title: "a thing",
  type: "object",
  required,
  properties,
  additionalProperties: false,
});

const PLAIN: readonly (readonly [name: string, schema: JsonObject, payloads: readonly JsonValue[]])[] = [
  ["a text", { type: "string" }, ["", "Ada", "x".repeat(300), HASH, "\ufeffZoë – 漢字 🙂", "é".repeat(300)]],
  ["a count", { type: "integer", minimum: 0 }, [0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 32, 2 ** 53 - 1]],
  ["a number that is whole", { type: "number", minimum: 2 }, [2, 300]],
  ["a reference or null", { anyOf: [REF, { type: "null" }] }, [HASH, null]],
  ["a list of references", { type: "array", items: REF }, [[], [HASH], [OTHER, HASH, OTHER]]],
  [
    "a map",
    closed({
      b: REF,
      aa: { type: "boolean" },
      a: { type: "array", items: closed({ n: { type: "integer" } }) },
    }),
    [{ b: HASH, aa: true, a: [{ n: 1 }, { n: 1000 }] }],
  ],
  [
    "a map with members that may be missing",
    closed({ a: REF, bb: REF, ccc: REF }, ["bb"]),
    [{ bb: HASH }, { bb: HASH, a: OTHER }, { ccc: HASH, bb: OTHER }],
  ],
  [
    "an open map",
    { type: "object", required: ["ok"], properties: { ok: { type: "boolean" } } },
    [{ ok: false }],
  ],
];

async function typeOf(schema: JsonObject) {
  const store = createMemoryStore();
  return { store, type: await putSchema(store, schema) };
}

/** What the complete check says: the references of a sound payload, else `null`. */
function complete(
  store: ReturnType<typeof createMemoryStore>,
  type: Hash,
  bytes: Uint8Array,
): readonly Hash[] | null {
  try {
    const node = { type, payload: decode(bytes), timestamp: 0 };
    return validate(store, node).length === 0 ? refs(store, node) : null;
  } catch {
    return null;
  }
}

describe("the references of a payload's bytes, if it certainly is sound", () => {
  it.each(PLAIN)("are those of %s", async (_name, schema, payloads) => {
    const { store, type } = await typeOf(schema);
    for (const payload of payloads) {
      const bytes = encode(payload);
      expect(refsIfSound(store, type, bytes), JSON.stringify(payload)).toEqual(complete(store, type, bytes));
      expect(refsIfSound(store, type, bytes)).not.toBeNull();
    }
  });

  it("are also given as the places at which they begin, each as often as it is there", async () => {
    const { store, type } = await typeOf({ type: "array", items: REF });
    const around = Buffer.from("around it");
    const bytes = Buffer.concat([around, encode([OTHER, HASH, OTHER]), around]);
    const end = bytes.length - around.length;
    const places = refPlacesIfSound(store, type, bytes, around.length, end) ?? [];
    expect(places.map((at) => bytes.toString("latin1", at, at + 13))).toEqual([OTHER, HASH, OTHER]);
    for (const wrong of [end - 1, end + 1, end - 14])
      expect(refPlacesIfSound(store, type, bytes, around.length, wrong)).toBeNull();
    expect([canRefer(store, type), canRefer(store, await putSchema(store, true))]).toEqual([true, false]);
  });

  it.each(PLAIN)("never are those of a spoilt one: %s", async (_name, schema, payloads) => {
    const { store, type } = await typeOf(schema);
    const spoilt = (bytes: Uint8Array): void => {
      const found = refsIfSound(store, type, bytes);
      // What comes after it makes no difference.
      const longer = Buffer.concat([bytes, encode(payloads[0] ?? null)]);
      const inside = refPlacesIfSound(store, type, longer, 0, bytes.length);
      expect(inside === null, Buffer.from(bytes).toString("hex")).toBe(found === null);
      if (found !== null)
        expect(found, Buffer.from(bytes).toString("hex")).toEqual(complete(store, type, bytes));
    };
    for (const payload of payloads) {
      const bytes = encode(payload);
      for (let at = 0; at < bytes.length; at += 1) {
        for (let value = 0; value < 256; value += bytes.length > 40 ? 15 : 1)
          spoilt(Uint8Array.from(bytes, (byte, index) => (index === at ? value : byte)));
        spoilt(bytes.subarray(0, at));
        spoilt(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]));
        spoilt(Buffer.concat([bytes.subarray(0, at), Buffer.of(0x18), bytes.subarray(at)]));
      }
      spoilt(Buffer.concat([bytes, Buffer.of(0)]));
    }
  });

  it.each([
    ["a pattern", { type: "string", pattern: "^a" }, "ab"],
    ["a choice", { enum: ["a", "b"] }, "a"],
    ["a float", { type: "number" }, 1.5],
    ["a member that the schema does not name", { type: "object", properties: { a: REF } }, { b: 1 }],
    ["a number below zero", { type: "integer" }, -1],
    ["more than ten thousand elements", { type: "array", items: { type: "null" } }, Array(10_001).fill(null)],
  ] as const)("are not certain with %s", async (_name, schema, payload) => {
    const { store, type } = await typeOf(schema);
    expect(refsIfSound(store, type, encode(payload as JsonValue))).toBeNull();
    expect(complete(store, type, encode(payload as JsonValue))).not.toBeNull();
  });
});
