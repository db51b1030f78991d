import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fsStoreFile } from "../src/index.js";
import { plainNode } from "../src/plain.js";
import { person, storeWithType } from "./support/store.js";

describe("the bytes of a node as they mostly are", () => {
  it("have their type where it is in all of them; one that is no hash is left to a careful reader", async () => {
    const { dir, store, type } = await storeWithType();
    const bytes = readFileSync(fsStoreFile(dir, await store.put(type, person("Ada"))));
    const plain = plainNode(bytes);
    expect(plain?.type).toBe(type);
    const at = bytes.indexOf(type);
    for (const strange of ["U", "a", "-"]) {
      const changed = Buffer.from(bytes);
      changed.write(strange, at + 3);
      expect(plainNode(changed)).toBeNull();
    }
    expect(plainNode(bytes.subarray(0, bytes.length - 1))).toBeNull();
  });
});
