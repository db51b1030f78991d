import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { computeHash, type Hash, hashBytes } from "../../src/index.js";

const bun = spawnSync("bun", ["--version"]).status === 0;
const TYPE = "3RZYZ9X0Y34K7" as Hash;
const PAYLOADS = ["", "a", "é".repeat(1000), 0, -1, 1.5, 2 ** 53, null, [], { b: [1, 2], a: { z: "" } }];
/** Around the stripes of 32 bytes that XXH64 reads, and more than a page of WebAssembly's memory. */
const LENGTHS = [...Array(300).keys(), 65_535, 65_536, 65_537, 200_000];

function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length: length + 3 }, (_, index) => (index * 167 + 13) & 0xff).subarray(3);
}

describe("XXH64 of bun", () => {
  it.skipIf(!bun)("gives the same hashes as Node.js's", () => {
    const index = resolve(import.meta.dirname, "../../src/index.ts");
    const script = `
      const { computeHash, hashBytes } = await import(${JSON.stringify(index)});
      const payloads = ${JSON.stringify(PAYLOADS)};
      const lengths = ${JSON.stringify(LENGTHS)};
      ${bytesOf}
      console.log(JSON.stringify([
        ...payloads.map((payload) => computeHash(${JSON.stringify(TYPE)}, payload)),
        ...lengths.map((length) => hashBytes(bytesOf(length))),
      ]));`;
    const ran = spawnSync("bun", ["--env-file=/dev/null", "--config=/dev/null", "-e", script], {
      encoding: "utf8",
    });
    expect(JSON.parse(ran.stdout)).toEqual([
      ...PAYLOADS.map((payload) => computeHash(TYPE, payload)),
      ...LENGTHS.map((length) => hashBytes(bytesOf(length))),
    ]);
  });
});
