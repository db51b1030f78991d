import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { releaseLock, tryLock } from "../../src/index.js";
import {
  holdFreePacks,
  holdPacks,
  newPack,
  packDir,
  packFile,
  packIndexFile,
  removePacks,
  touchPack,
} from "../../src/pack/index.js";
import { withFsCalls } from "../support/fs-calls.js";
import { temporaryDir } from "../support/temp.js";

function storeWith(...names: readonly string[]): string {
  const dir = join(temporaryDir(), "cas");
  mkdirSync(packDir(dir), { recursive: true });
  for (const name of names) for (const file of [packFile, packIndexFile]) writeFileSync(file(dir, name), "");
  return dir;
}

describe("removePacks", () => {
  it("makes durable that the packs are gone before it removes an index: a pack without one is damage", async () => {
    const dir = storeWith("one", "two", "three");
    const calls = await withFsCalls(() => removePacks(dir, ["one", "two"]));
    const order = calls.filter(({ name }) => name === "unlinkSync" || name === "fsyncSync");
    expect(order.map(({ name, path }) => [name, path])).toEqual([
      ["unlinkSync", packFile(dir, "one")],
      ["unlinkSync", packFile(dir, "two")],
      ["fsyncSync", packDir(dir)],
      ["unlinkSync", packIndexFile(dir, "one")],
      ["unlinkSync", packIndexFile(dir, "two")],
    ]);
    expect(readdirSync(packDir(dir))).toHaveLength(2);
  });

  it("touches nothing where there is nothing to remove", async () => {
    const dir = storeWith("one");
    expect(await withFsCalls(() => removePacks(dir, []))).toEqual([]);
    removePacks(dir, ["gone"]);
    expect(readdirSync(packDir(dir))).toHaveLength(2);
  });
});

describe("touchPack", () => {
  it("gives the pack the time of its nodes, which gc goes by", () => {
    const dir = storeWith("one");
    touchPack(dir, "one", 1_700_000_000_250);
    expect(statSync(packFile(dir, "one")).mtimeMs).toBe(1_700_000_000_250);
  });
});

describe("whoever writes packs in place of others", () => {
  it("holds them meanwhile: another one who does not wait does nothing", async () => {
    const dir = storeWith();
    const done: string[] = [];
    await holdPacks(dir, () => {
      holdFreePacks(dir, () => done.push("within"));
      done.push("first");
    });
    holdFreePacks(dir, () => done.push("after"));
    expect(done).toEqual(["first", "after"]);
    expect(readdirSync(dir)).toEqual(["pack"]);
  });

  it("gives them back when the work fails", async () => {
    const dir = storeWith();
    const fails = (): never => {
      throw new Error("no");
    };
    await expect(holdPacks(dir, fails)).rejects.toThrow("no");
    expect(() => holdFreePacks(dir, fails)).toThrow("no");
    const lock = tryLock(join(dir, "_pack.lock"));
    if (lock.kind === "lock") releaseLock(lock);
    expect(lock.kind).toBe("lock");
  });
});

describe("a pack that is being written", () => {
  it("leaves nothing when it is dropped", () => {
    const dir = storeWith();
    const pack = newPack(dir);
    pack.add("0123456789ABC" as Parameters<typeof pack.add>[0], Buffer.from("x"));
    pack.drop();
    pack.drop();
    expect(readdirSync(packDir(dir))).toEqual([]);
  });
});
