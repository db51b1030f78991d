import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ownRecord } from "@uncaged/json-cas-fs";
import { describe, expect, it } from "vitest";
import { claimThread, indexLockPath, listLocks, readHolder, releaseClaim, unlock } from "../../src/index.js";
import { threadLockPath } from "../../src/locks.js";
import { good, heldBySomebody, startThread, THREAD, tempStorage } from "../support/index.js";

const FREE = { released: false, holder: null };

describe("unlock", () => {
  it("finds nothing to do where nobody holds the thread, and makes no folder for it", () => {
    const storage = tempStorage();
    expect(good(unlock(storage, THREAD, false))).toEqual(FREE);
    expect(good(unlock(storage, THREAD, true))).toEqual(FREE);
    expect(existsSync(storage.paths.locks)).toBe(false);
  });

  it("releases dead locks, and leaves nothing behind", async () => {
    const storage = tempStorage();
    const path = threadLockPath(storage, THREAD);
    const holder = await heldBySomebody(path);
    await holder.end();
    expect(good(unlock(storage, THREAD, false))).toMatchObject({
      released: true,
      holder: { pid: holder.pid, judgement: "dead" },
    });
    expect(readdirSync(storage.paths.locks)).toEqual([]);
  });

  it("leaves a living holder alone, and takes it from one on a person's word", async () => {
    const storage = tempStorage();
    const path = threadLockPath(storage, THREAD);
    const { pid } = await heldBySomebody(path);
    const before = readFileSync(path, "utf8");
    expect(good(unlock(storage, THREAD, false))).toMatchObject({
      released: false,
      holder: { pid, judgement: "alive" },
    });
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(good(unlock(storage, THREAD, true))).toMatchObject({ released: true, holder: { pid } });
    expect(readdirSync(storage.paths.locks)).toEqual([]);
  });

  it("leaves one that cannot be judged alone, and takes it on a person's word", () => {
    const storage = tempStorage();
    const path = threadLockPath(storage, THREAD);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ ...ownRecord(1, null), host: "another-host" }));
    expect(good(unlock(storage, THREAD, false))).toMatchObject({
      released: false,
      holder: { host: "another-host", judgement: "unknown", because: expect.stringContaining("host") },
    });
    expect(good(unlock(storage, THREAD, true)).released).toBe(true);
    expect(good(unlock(storage, THREAD, true))).toEqual(FREE);
  });

  it("does no harm through the release of whoever it was taken from", async () => {
    const storage = tempStorage();
    await startThread(storage);
    const claim = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    expect(good(unlock(storage, THREAD, true)).holder).toMatchObject(claim.lock.record);
    const next = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    good(releaseClaim(claim));
    expect(readHolder(storage, THREAD)).toMatchObject(next.lock.record);
    good(releaseClaim(next));
  });
});

describe("unlockIndex", () => {
  it("does the same for the lock of the index", async () => {
    const storage = tempStorage();
    const holder = await heldBySomebody(indexLockPath(storage));
    expect(good(unlock(storage, null, false))).toMatchObject({ released: false });
    await holder.end();
    expect(good(unlock(storage, null, false))).toMatchObject({ released: true });
    expect(good(unlock(storage, null, false))).toEqual(FREE);
  });
});

describe("listLocks", () => {
  it("lists thread locks, the index lock and what killed processes left", async () => {
    const storage = tempStorage();
    expect(good(listLocks(storage))).toEqual([]);
    const { pid } = await heldBySomebody(threadLockPath(storage, THREAD));
    const record = JSON.stringify(ownRecord(1, null));
    for (const name of ["index.lock", "index.lock.abc.tmp", `thread-${THREAD}.lock.abc`]) {
      writeFileSync(`${storage.paths.locks}/${name}`, record);
    }
    expect(good(listLocks(storage)).map(({ kind, holder }) => [kind, holder.pid, holder.judgement])).toEqual([
      ["index", process.pid, "alive"],
      ["litter", process.pid, "alive"],
      ["thread", pid, "alive"],
      ["litter", process.pid, "alive"],
    ]);
  });
});
