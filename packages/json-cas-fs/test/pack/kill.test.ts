import { cpSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type Hash, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, repairStore, verifyStore } from "../../src/index.js";
import { dyingAt, type FsCall, isWriteSide } from "../support/fs-calls.js";
import { collect } from "../support/gc.js";
import { skipFsync } from "../support/no-fsync.js";
import { person } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";
import { chain, packAll } from "./support.js";

skipFsync();

/** Files are opened to be read, too. What is opened to be written is then written. */
function isChange(call: FsCall): boolean {
  return isWriteSide(call) && call.name !== "closeSync" && call.name !== "openSync";
}

type Stage = {
  readonly name: string;
  readonly prepare: (dir: string) => Promise<readonly Hash[]>;
  readonly act: (dir: string, roots: readonly Hash[]) => Promise<unknown>;
};

const NAMES = ["Ada", "Bob", "Cy", "Dan"];

const STAGES: readonly Stage[] = [
  {
    name: "the first packing",
    prepare: async (dir) => (await chain(dir, NAMES)).store.list(),
    act: (dir) => packAll(dir),
  },
  {
    name: "a packing that takes a pack over",
    prepare: async (dir) => {
      const { store, type } = await chain(dir, NAMES);
      await packAll(dir);
      for (const name of ["E", "F", "G"]) await store.put(type, person(name));
      return store.list();
    },
    act: (dir) => packAll(dir),
  },
  {
    name: "a gc over a pack and files",
    prepare: async (dir) => {
      const { store, type, hashes } = await chain(dir, NAMES);
      await packAll(dir);
      await store.put(type, person("Eve", hashes[3]!));
      ageFiles(dir);
      return [META_SCHEMA_HASH, type, hashes[0]!, hashes[1]!];
    },
    act: (dir, roots) => collect(dir, roots.slice(-1)),
  },
];

function ageFiles(dir: string): void {
  for (const folder of [dir, join(dir, "pack")])
    for (const name of readdirSync(folder))
      if (/\.(bin|pack)$/.test(name)) utimesSync(join(folder, name), 1, 1);
}

describe.each(STAGES)("$name, dying before any one call that changes the file system", ({ prepare, act }) => {
  it("leaves every node in at least one place, and a store in which the next one ends the work", async () => {
    const parent = temporaryDir();
    const before = join(parent, "before");
    const kept = await prepare(before);
    const run = (n: number, dir: string) => dyingAt(n, isChange, () => act(dir, kept));
    const copy = (name: string): string => {
      const dir = join(parent, name);
      cpSync(before, dir, { recursive: true, preserveTimestamps: true });
      return dir;
    };
    const { changes, died } = await run(Number.POSITIVE_INFINITY, copy("whole"));
    expect(died).toBe(false);
    expect(changes.length).toBeGreaterThan(8);
    for (const [index, change] of changes.entries()) {
      const dir = copy(`cas-${index}`);
      const where = `${index + 1}: ${change.name} ${change.path}`;
      expect((await run(index + 1, dir)).died, where).toBe(true);
      // Its process would be dead.
      rmSync(join(dir, "_pack.lock"), { force: true });
      const store = createFsStore(dir);
      for (const hash of kept) expect(store.get(hash), where).not.toBeNull();
      expect(
        verifyStore(dir, () => {}),
        where,
      ).toMatchObject({ damaged: 0, damagedPacks: 0 });
      if (index % 2 === 0)
        await repairStore(dir, { now: Date.now() + 7_200_000, hold: (work) => work(), tell: () => {} });
      await act(dir, kept);
      expect(createFsStore(dir).list(), where).toEqual([...kept].sort());
      expect(
        verifyStore(dir, () => {}),
        where,
      ).toMatchObject({ damaged: 0, damagedPacks: 0 });
    }
  });
});
