import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { json, jsonCas } from "./support/run.js";

/** Written by the original program (store format 0.4). */
const ORIGINAL = join(import.meta.dirname, "../../json-cas/test/fixtures/store-0.4/cas");

describe("a store of the original program", () => {
  it("is verified: 28 nodes, three of which violate their own schemas", async () => {
    const ran = await jsonCas(["--store", ORIGINAL, "verify"]);
    expect(ran.code).toBe(7);
    const { nodes, damaged, problems } = JSON.parse(ran.stdout);
    expect({ nodes, damaged }).toEqual({ nodes: 28, damaged: 3 });
    expect(problems.map(({ hash }: { hash: string }) => hash).sort()).toEqual([
      "64KB4T4A9CKTS",
      "AP3XTF5PKRXC1",
      "AX8WFGW48YNGY",
    ]);
  });

  it("lists its schemas with its own root first", async () => {
    const [root, ...others] = await json(ORIGINAL, ["schema", "list"]);
    expect((await json(ORIGINAL, ["get", root.hash])).type).toBe(root.hash);
    expect(others.length).toBeGreaterThan(5);
  });
});
