import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  acquireLock,
  type Lock,
  type LockRecord,
  ownRecord,
  readLock,
  releaseLock,
  tryLock,
} from "../../src/index.js";
import { renewLock } from "../../src/lock/lock.js";
import { errnoError, withFsCalls } from "../support/fs-calls.js";
import { temporaryDir } from "../support/temp.js";

function lockPath(): string {
  return join(temporaryDir(), "locks", "index.lock");
}

function taken(path: string): Lock {
  const lock = tryLock(path);
  if (lock.kind !== "lock") throw new Error("the lock is busy");
  return lock;
}

/** A record of a holder that cannot be alive. */
function deadRecord(nonce: string): LockRecord {
  return { ...ownRecord(0, null), pid: 2 ** 22 + 1, nonce };
}

function plant(path: string, record: LockRecord): void {
  writeFileSync(path, JSON.stringify(record));
}

describe("tryLock", () => {
  it("creates the folder and leaves only the record in it", () => {
    const path = lockPath();
    const lock = taken(path);
    expect(readdirSync(dirname(path))).toEqual(["index.lock"]);
    expect(readLock(path)).toMatchObject({ ...lock.record, foundIn: dirname(path) });
    expect(lock.record.pid).toBe(process.pid);
  });

  it("is busy for everybody else, also in the same process", () => {
    const path = lockPath();
    const { record } = taken(path);
    expect(tryLock(path)).toMatchObject({ kind: "busy", path, holder: record, judgement: "alive" });
  });

  it("is free again after the release", () => {
    const path = lockPath();
    releaseLock(taken(path));
    expect(readdirSync(dirname(path))).toEqual([]);
    expect(tryLock(path).kind).toBe("lock");
  });

  it("breaks the record of a dead holder and leaves nothing of it", () => {
    const path = lockPath();
    releaseLock(taken(path));
    plant(path, deadRecord("dead-1"));
    const lock = taken(path);
    expect(readLock(path)).toMatchObject({ ...lock.record, foundIn: dirname(path) });
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  });

  it("breaks a dead breaker too, and sweeps what dead breakers of earlier records left", () => {
    const path = lockPath();
    releaseLock(taken(path));
    plant(path, deadRecord("dead-1"));
    plant(`${path}.dead-1`, deadRecord("dead-2"));
    plant(`${path}.dead-0`, deadRecord("dead-3"));
    plant(`${path}.dead-4.tmp`, deadRecord("dead-4"));
    taken(path);
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  });

  it("does not wait for a named pipe under its name: its owner is unknown", () => {
    const path = lockPath();
    releaseLock(taken(path));
    execFileSync("mkfifo", [path]);
    expect(tryLock(path)).toMatchObject({ kind: "busy", judgement: "unknown" });
  });

  it("leaves a living breaker alone", () => {
    const path = lockPath();
    releaseLock(taken(path));
    plant(path, deadRecord("dead-1"));
    const breaker = taken(`${path}.dead-1`);
    expect(tryLock(path)).toMatchObject({ kind: "busy", holder: breaker.record });
    expect(readLock(path)?.nonce).toBe("dead-1");
  });

  it("does not break a holder that it cannot judge", () => {
    const path = lockPath();
    releaseLock(taken(path));
    plant(path, { ...deadRecord("far"), host: "another-host" });
    expect(tryLock(path)).toMatchObject({ kind: "busy", judgement: "unknown" });
  });

  it("breaks a record that lost its content in a power cut, but not a fresh unreadable one", () => {
    const path = lockPath();
    releaseLock(taken(path));
    writeFileSync(path, "");
    expect(tryLock(path)).toMatchObject({ kind: "busy", judgement: "unknown" });
    utimesSync(path, 1, 1);
    expect(tryLock(path).kind).toBe("lock");
  });

  it.each(["writeSync", "linkSync"])("leaves nothing behind where %s fails", async (name) => {
    const path = lockPath();
    releaseLock(taken(path));
    await withFsCalls(
      () => expect(() => tryLock(path)).toThrowError(`cannot lock ${path}`),
      (call) => {
        if (call.name === name) throw errnoError("ENOSPC", name);
      },
    );
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it("names the path when the folder cannot be made", () => {
    const file = join(temporaryDir(), "file");
    writeFileSync(file, "");
    expect(() => tryLock(join(file, "a.lock"))).toThrowError(CasError);
  });
});

describe("releaseLock", () => {
  it("leaves another holder's record as it is", () => {
    const path = lockPath();
    const lost = taken(path);
    rmSync(path);
    const other = taken(path);
    releaseLock(lost);
    expect(readLock(path)).toMatchObject(other.record);
  });

  it("is silent when the record is gone", () => {
    const path = lockPath();
    const lock = taken(path);
    releaseLock(lock);
    expect(() => releaseLock(lock)).not.toThrow();
  });
});

describe("readLock", () => {
  it("gives null if no process holds the lock", () => {
    expect(readLock(lockPath())).toBeNull();
  });

  it("writes one line of JSON", () => {
    const path = lockPath();
    const { record } = taken(path);
    expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify(record)}\n`);
  });

  it.each([
    ["pid", 0],
    ["pid", 1.5],
    ["nonce", ""],
    ["nonce", "../x"],
    ["nonce", 1],
    ["host", null],
    ["acquiredAt", "0"],
    ["acquiredAt", 9e15],
    ["startTime", 1],
    ["bootId", 1],
    ["pidNamespace", 1],
    ["machineId", 1],
  ])("takes no record whose %s is %j", (field, value) => {
    const path = join(temporaryDir(), "a.lock");
    writeFileSync(path, JSON.stringify({ ...ownRecord(7, null), [field]: value }));
    expect(readLock(path)).toMatchObject({ pid: 0, nonce: expect.stringMatching(/^unreadable-/) });
  });

  it("takes one of an earlier version, which names no machine", () => {
    const path = join(temporaryDir(), "a.lock");
    const { machineId: _, ...earlier } = ownRecord(7, null);
    writeFileSync(path, JSON.stringify(earlier));
    expect(readLock(path)).toMatchObject({ ...earlier, machineId: null });
  });

  it.each(["null", "[]", '{"pid":1}', '{"pid":"1"}'])("gives a record with pid 0 for %s", (text) => {
    const path = join(temporaryDir(), "a.lock");
    writeFileSync(path, text);
    expect(readLock(path)).toMatchObject({ pid: 0, startTime: null });
  });
});

describe("renewLock", () => {
  it("gives the lock the time of the file system, and changes nothing of it", () => {
    const path = lockPath();
    const lock = taken(path);
    const before = readFileSync(path, "utf8");
    utimesSync(path, 1, 1);
    renewLock(lock);
    expect(readLock(path)?.renewedAt).toBeGreaterThan(Date.now() - 60_000);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("leaves the present holder's lock as it is, and a folder that is gone", () => {
    const path = lockPath();
    const lock = taken(path);
    releaseLock(lock);
    taken(path);
    utimesSync(path, 1, 1);
    renewLock(lock);
    expect(readLock(path)?.renewedAt).toBe(1000);
    rmSync(dirname(path), { recursive: true });
    renewLock(lock);
    expect(existsSync(dirname(path))).toBe(false);
  });
});

describe("acquireLock", () => {
  it("renews the lock until it is released", async () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const path = lockPath();
    const lock = await acquireLock(path, { waitMs: 0 });
    utimesSync(path, 1, 1);
    vi.advanceTimersByTime(10_000);
    expect(readLock(path)?.renewedAt).toBeGreaterThan(1000);
    releaseLock(lock);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tries once when it may not wait, and names the holder", async () => {
    const path = lockPath();
    taken(path);
    await expect(acquireLock(path, { waitMs: 0 })).rejects.toThrowError(
      new RegExp(`index\\.lock is held by pid ${process.pid} on host .* since .*Z$`),
    );
  });

  it("waits for the release", async () => {
    const path = lockPath();
    const first = taken(path);
    const second = acquireLock(path, { waitMs: 20_000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    releaseLock(first);
    expect((await second).kind).toBe("lock");
  });

  it("gives up after the wait with a fault that says how long", async () => {
    const path = lockPath();
    taken(path);
    const failure = await acquireLock(path, { waitMs: 30 }).catch((error: unknown) => error);
    expect((failure as CasError).fault).toMatchObject({ code: "LOCK_BUSY", lock: path, waitedMs: 30 });
    expect(existsSync(path)).toBe(true);
  });
});
