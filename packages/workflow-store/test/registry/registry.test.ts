import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readRegistry, setRegistry } from "../../src/index.js";
import { bad, good, HASH_A, HASH_B, snapshot, tempStorage } from "../support/index.js";

describe("registry.yaml", () => {
  it("is empty without a file, and reading creates none", async () => {
    const storage = tempStorage();
    expect(Object.keys(good(await readRegistry(storage)))).toEqual([]);
    expect(snapshot(storage.root)).toEqual([]);
  });

  it("points names to hashes, sorted, and re-points them", async () => {
    const storage = tempStorage();
    good(await setRegistry(storage, "solve-issue", HASH_A));
    good(await setRegistry(storage, "constructor", HASH_A));
    good(await setRegistry(storage, "solve-issue", HASH_B));
    expect(readFileSync(storage.paths.registry, "utf8")).toBe(
      `constructor: "${HASH_A}"\nsolve-issue: "${HASH_B}"\n`,
    );
  });

  it("knows no names but its own", async () => {
    const storage = tempStorage();
    good(await setRegistry(storage, "solve-issue", HASH_A));
    const registry = good(await readRegistry(storage));
    expect(registry["solve-issue"]).toBe(HASH_A);
    for (const name of ["constructor", "toString", "__proto__"]) expect(registry[name]).toBeUndefined();
  });

  it("is read and kept as a person wrote it", async () => {
    const storage = tempStorage();
    writeFileSync(storage.paths.registry, `# ours\nsolve-issue: 1234567890123 # stable\n`);
    expect(good(await readRegistry(storage))).toEqual({ "solve-issue": "1234567890123" });
    good(await setRegistry(storage, "review", HASH_B));
    expect(readFileSync(storage.paths.registry, "utf8")).toBe(
      `# ours\nreview: "${HASH_B}"\nsolve-issue: "1234567890123" # stable\n`,
    );
  });

  it.each(["", "- a\n", "solve-issue: [\n", "Bad Name: 1234567890123\n", 'a: "short"\n'])(
    "is damaged and left alone when it is %j",
    async (text) => {
      const storage = tempStorage();
      writeFileSync(storage.paths.registry, text);
      expect(bad(await readRegistry(storage)).code).toBe("STORE_DAMAGED");
      expect(bad(await setRegistry(storage, "b", HASH_A)).code).toBe("STORE_DAMAGED");
      expect(readFileSync(storage.paths.registry, "utf8")).toBe(text);
    },
  );
});
