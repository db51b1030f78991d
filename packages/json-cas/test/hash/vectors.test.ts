import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { base32, hashBytes } from "../../src/hash.js";
import { CasError, computeHash, encode, type Hash, type JsonValue, parseHash } from "../../src/index.js";

type Vector = {
  name: string;
  type: Hash;
  payload: unknown;
  payload_js?: string;
  hash: string;
  cbor_hex?: string;
  cbor_len?: number;
};
type Vectors = {
  vectors: Vector[];
  refused: { name: string; payload_js: string }[];
  raw_xxh64: { name: string; len: number; hex?: string; hash: string }[];
  base32: { u64_hex: string; hash: string }[];
};

const fixture = JSON.parse(
  readFileSync(new URL("../fixtures/json-cas-vectors.json", import.meta.url), "utf8"),
) as Vectors;

/** JSON cannot carry `-0` and the like, so some payloads are written as expressions. */
function payloadOf(vector: { payload?: unknown; payload_js?: string }): JsonValue {
  if (vector.payload_js === undefined) return vector.payload as JsonValue;
  return new Function(`return (${vector.payload_js});`)() as JsonValue;
}

/** The long inputs stand in the fixture as words only. */
const LONG: Record<string, Uint8Array> = {
  "1 KiB of 0x00": new Uint8Array(1024),
  "1 KiB: i & 0xff for i in 0..1023 (0x00..0xff x4)": Uint8Array.from(
    { length: 1024 },
    (_, index) => index & 0xff,
  ),
  "65537 x 0x61": new Uint8Array(65537).fill(0x61),
};

describe("hashes of the original json-cas", () => {
  for (const vector of fixture.vectors) {
    it(`gives the same hash and bytes for ${vector.name}`, () => {
      const payload = payloadOf(vector);
      const bytes = Buffer.from(encode(payload));
      if (vector.cbor_hex !== undefined) expect(bytes.toString("hex")).toBe(vector.cbor_hex);
      if (vector.cbor_len !== undefined) expect(bytes.length).toBe(vector.cbor_len);
      expect(computeHash(vector.type, payload)).toBe(vector.hash);
    });
  }

  for (const refused of fixture.refused) {
    it(`refuses ${refused.name}`, () => {
      expect(() => encode(payloadOf(refused))).toThrow(CasError);
    });
  }

  for (const raw of fixture.raw_xxh64) {
    it(`gives the same XXH64 for ${raw.name}`, () => {
      const bytes = raw.hex === undefined ? LONG[raw.name] : Buffer.from(raw.hex, "hex");
      expect(bytes?.length).toBe(raw.len);
      expect(hashBytes(bytes ?? new Uint8Array())).toBe(raw.hash);
    });
  }

  for (const { u64_hex, hash } of fixture.base32) {
    it(`writes 0x${u64_hex} as ${hash}`, () => {
      expect(base32(BigInt(`0x${u64_hex}`))).toBe(hash);
    });
  }
});

describe("parseHash", () => {
  it("takes 13 characters of the alphabet in either case", () => {
    expect(parseHash("4bdh115w39mqd")).toBe("4BDH115W39MQD");
    expect(parseHash("FZZZZZZZZZZZZ")).toBe("FZZZZZZZZZZZZ");
  });

  it("takes nothing else", () => {
    const others = [
      "",
      "4BDH115W39MQ",
      "4BDH115W39MQD0",
      "G000000000000",
      "4BDH115W39MQI",
      "4BDH115W39MQ ",
      "４BDH115W39MQD",
    ];
    for (const text of others) expect(parseHash(text)).toBeNull();
    for (const letter of "ILOU") expect(parseHash(`0${letter.repeat(12)}`)).toBeNull();
  });
});
