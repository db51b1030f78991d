import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fsStoreFile } from "../../src/index.js";
import { moveToTrash } from "../../src/store/write.js";
import { withFsCalls } from "../support/fs-calls.js";
import { person, storeWithType } from "../support/store.js";

async function stored() {
  const { dir, store, type } = await storeWithType();
  const hash = await store.put(type, person("Ada"));
  const file = fsStoreFile(dir, hash);
  return { dir, hash, file, time: lstatSync(file).mtimeMs, size: lstatSync(file).size };
}

describe("a node that is taken away", () => {
  it("goes if it was touched before the cutoff, and once", async () => {
    const { dir, hash, file, time, size } = await stored();
    expect(moveToTrash(dir, hash, time + 1)).toBe(size);
    expect(existsSync(file)).toBe(false);
    expect(moveToTrash(dir, hash, time + 1)).toBeNull();
  });

  it("keeps its name all the time if it was touched at the cutoff", async () => {
    const { dir, hash, file, time } = await stored();
    const calls = await withFsCalls(() => {
      expect(moveToTrash(dir, hash, time)).toBeNull();
    });
    expect(calls.filter(({ name }) => name === "renameSync")).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });

  it("is no link and no folder: the store puts neither under a node's name", async () => {
    const { dir, hash, file, time } = await stored();
    const elsewhere = join(dir, "..", "elsewhere");
    writeFileSync(elsewhere, "mine");
    rmSync(file);
    symlinkSync(elsewhere, file);
    const later = Date.now() + 60_000;
    expect(moveToTrash(dir, hash, later)).toBeNull();
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    rmSync(file);
    mkdirSync(file);
    expect(moveToTrash(dir, hash, Math.max(later, time))).toBeNull();
    expect(lstatSync(file).isDirectory()).toBe(true);
  });
});
