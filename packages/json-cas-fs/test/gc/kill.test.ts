import { join } from "node:path";
import { type Hash, META_SCHEMA_HASH, putSchema } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, repairStore, verifyStore } from "../../src/index.js";
import { dyingAt, type FsCall, isWriteSide } from "../support/fs-calls.js";
import { ageAll, collect } from "../support/gc.js";
import { skipFsync } from "../support/no-fsync.js";
import { PERSON_SCHEMA, person } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

skipFsync();

async function world(dir: string) {
  const store = createFsStore(dir);
  const type = await putSchema(store, PERSON_SCHEMA);
  const kept = await store.put(type, person("Bob", await store.put(type, person("Ada"))));
  let last: Hash | null = null;
  for (const name of ["Cy", "Dan", "Eve"]) last = await store.put(type, person(name, last));
  ageAll(dir);
  return { kept, type };
}

/** Files are opened to be read, too; how often depends on what is remembered. What is opened to be written is then written. */
function isChange(call: FsCall): boolean {
  return isWriteSide(call) && call.name !== "closeSync" && call.name !== "openSync";
}

function collectDyingAt(n: number, dir: string, kept: Hash) {
  return dyingAt(n, isChange, () => collect(dir, [kept]));
}

describe("a gc that dies before any one call that changes the file system", () => {
  it("leaves a store that verifies, in which the next one ends the work", async () => {
    const parent = temporaryDir();
    const whole = join(parent, "whole");
    const { changes, died } = await collectDyingAt(
      Number.POSITIVE_INFINITY,
      whole,
      (await world(whole)).kept,
    );
    expect(died).toBe(false);
    expect(changes.length).toBeGreaterThan(10);
    expect(new Set(changes.map(({ name }) => name))).toContain("renameSync");
    for (const [before, change] of changes.entries()) {
      const dir = join(parent, `cas-${before}`);
      const { kept, type } = await world(dir);
      expect((await collectDyingAt(before + 1, dir, kept)).died).toBe(true);
      const where = `${before + 1}: ${change.name}`;
      expect(verifyStore(dir, () => {}).damaged, where).toBe(0);
      if (before % 2 === 0) {
        await repairStore(dir, { now: Date.now() + 7_200_000, hold: (work) => work(), tell: () => {} });
        expect(
          verifyStore(dir, () => {}),
          where,
        ).toMatchObject({ damaged: 0, staleIndexLines: 0, setAside: 0, temporaryFiles: 0 });
      }
      await collect(dir, [kept]);
      const store = createFsStore(dir);
      expect(store.list(), where).toHaveLength(4);
      expect([store.has(kept), store.has(META_SCHEMA_HASH), store.has(type)], where).toEqual([
        true,
        true,
        true,
      ]);
      expect(
        verifyStore(dir, () => {}),
        where,
      ).toMatchObject({ damaged: 0, setAside: 0 });
    }
  });
});
