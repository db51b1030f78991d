import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { computeHash, type Hash } from "../../src/index.js";

const bun = spawnSync("bun", ["--version"]).status === 0;
const TYPE = "3RZYZ9X0Y34K7" as Hash;
const PAYLOADS = ["", "a", "é".repeat(1000), 0, -1, 1.5, 2 ** 53, null, [], { b: [1, 2], a: { z: "" } }];

describe("XXH64 of bun", () => {
  it.skipIf(!bun)("gives the same hashes as ours", () => {
    const index = resolve(import.meta.dirname, "../../src/index.ts");
    const script = `
      const { computeHash } = await import(${JSON.stringify(index)});
      const payloads = ${JSON.stringify(PAYLOADS)};
      console.log(JSON.stringify(payloads.map((payload) => computeHash(${JSON.stringify(TYPE)}, payload))));`;
    const ran = spawnSync("bun", ["--env-file=/dev/null", "--config=/dev/null", "-e", script], {
      encoding: "utf8",
    });
    expect(JSON.parse(ran.stdout)).toEqual(PAYLOADS.map((payload) => computeHash(TYPE, payload)));
  });
});
