import { describe, expect, it } from "vitest";
import { faultMessage, type Hash, resolveHash } from "../../src/index.js";

const HASHES = ["4BDH115W39MQD", "4BDH2ZZZZZZZZ", "0000000000000"] as Hash[];
const store = { list: () => HASHES, has: (hash: Hash) => HASHES.includes(hash) };

describe("resolveHash", () => {
  it("takes a whole hash in either case", () => {
    expect(resolveHash(store, "4bdh115w39mqd")).toBe(HASHES[0]);
  });

  it("takes a prefix of at least 4 characters that fits one node", () => {
    expect(resolveHash(store, "4BDH1")).toBe(HASHES[0]);
    expect(resolveHash(store, "0000")).toBe(HASHES[2]);
  });

  const refused = [
    ["a prefix that fits two", "4BDH", { code: "AMBIGUOUS_PREFIX", candidates: [HASHES[0], HASHES[1]] }],
    ["a prefix that fits none", "4BDH3", { code: "NODE_MISSING", hash: "4BDH3" }],
    ["a hash that nobody put", "4BDH115W39MQE", { code: "NODE_MISSING", hash: "4BDH115W39MQE" }],
    ["a prefix that is too short", "4BD", { code: "MALFORMED_HASH", value: "4BD" }],
    ["letters that no hash has", "4BDU", { code: "MALFORMED_HASH" }],
    ["a first letter beyond F", "G000", { code: "MALFORMED_HASH" }],
    ["a path", "../4BDH1", { code: "MALFORMED_HASH" }],
    ["nothing", "", { code: "MALFORMED_HASH" }],
    ["too much", "4BDH115W39MQD0", { code: "MALFORMED_HASH" }],
  ] as const;
  for (const [what, text, fault] of refused) {
    it(`refuses ${what} with ${fault.code}`, () => {
      try {
        resolveHash(store, text);
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ fault });
      }
    });
  }
});

describe("an ambiguous prefix", () => {
  it("names twenty of the ids that it fits, and counts the others", () => {
    const candidates = Array.from({ length: 22 }, (_, index) => `ID${index}`);
    const message = (count: number) =>
      faultMessage({ code: "AMBIGUOUS_PREFIX", prefix: "ID", candidates: candidates.slice(0, count) });
    expect(message(2)).toBe('"ID" fits 2 ids: ID0, ID1');
    expect(message(20)).toMatch(/fits 20 ids: ID0, .*, ID19$/);
    expect(message(22)).toMatch(/fits 22 ids: ID0, .*, ID19 and 2 more$/);
  });
});
