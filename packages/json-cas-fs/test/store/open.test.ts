import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFsStore } from "../../src/index.js";
import { withFsCalls } from "../support/fs-calls.js";
import { skipFsync } from "../support/no-fsync.js";
import { person, storeWithType } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

skipFsync();

describe("opening a store", () => {
  it("makes no file-system call", async () => {
    const calls = await withFsCalls(() => {
      createFsStore(join(temporaryDir(), "cas"));
    });
    // temporaryDir itself makes none of the calls that are counted.
    expect(calls).toEqual([]);
  });

  it("creates nothing, and reading an absent store neither", async () => {
    const parent = temporaryDir();
    const { type } = await storeWithType();
    const store = createFsStore(join(parent, "cas"));
    expect(store.get(type)).toBeNull();
    expect(store.has(type)).toBe(false);
    expect(store.list()).toEqual([]);
    expect(store.listByType(type)).toEqual([]);
    expect(readdirSync(parent)).toEqual([]);
  });

  it("reads one node with the same calls whether there are 10 nodes or 1,000", async () => {
    const { dir, store, type } = await storeWithType();
    const count = async (): Promise<readonly string[]> => {
      const fresh = createFsStore(dir);
      const calls = await withFsCalls(() => fresh.get(type));
      return calls.map((call) => call.name);
    };
    for (let index = 0; index < 10; index += 1) await store.put(type, person(`p${index}`));
    const few = await count();
    for (let index = 0; index < 1_000; index += 1) await store.put(type, person(`q${index}`));
    expect(await count()).toEqual(few);
    expect(few.length).toBeLessThan(10);
    expect(few).not.toContain("readdirSync");
  });
});
