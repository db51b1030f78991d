import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFsStore, importNodes, openExport, verifyStore } from "../../src/index.js";
import { dyingAt, type FsCall, isWriteSide } from "../support/fs-calls.js";
import { skipFsync } from "../support/no-fsync.js";
import { temporaryDir } from "../support/temp.js";
import { exported, fileOf, friends, imported } from "./support.js";

skipFsync();

function isChange(call: FsCall): boolean {
  return isWriteSide(call) && call.name !== "closeSync" && call.name !== "openSync";
}

async function importDyingAt(n: number, dir: string, path: string) {
  const file = openExport(path);
  const outcome = await dyingAt(n, isChange, async () => importNodes(dir, file, Date.now));
  file.close();
  return outcome;
}

describe("an import that dies before any one call that changes the file system", () => {
  it("leaves a store that verifies, in which the same import is completed", async () => {
    const { dir: from, cy } = await friends();
    const text = exported(from, [cy]);
    const path = fileOf(text);
    const parent = temporaryDir();
    const { changes, died } = await importDyingAt(Number.POSITIVE_INFINITY, join(parent, "whole"), path);
    expect(died).toBe(false);
    expect(changes.length).toBeGreaterThan(12);
    for (const [before, change] of changes.entries()) {
      const dir = join(parent, `cas-${before}`);
      const where = `${before + 1}: ${change.name}`;
      expect((await importDyingAt(before + 1, dir, path)).died, where).toBe(true);
      // Its process would be dead.
      rmSync(join(dir, "_pack.lock"), { force: true });
      expect(verifyStore(dir, () => {}).damaged, where).toBe(0);
      await imported(dir, text);
      expect(createFsStore(dir).list(), where).toHaveLength(5);
      expect(exported(dir, [cy]), where).toEqual(text);
    }
  });
});
