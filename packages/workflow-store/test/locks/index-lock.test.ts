import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { err, fault, ok } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { asOnlyWorker, withIndexLock } from "../../src/index.js";
import { INDEX_WAIT_MS } from "../../src/locks.js";
import { bad, good, heldBySomebody, tempRoot, tempStorage } from "../support/index.js";

describe("asOnlyWorker", () => {
  const work = async () => ok("worked");

  it("lets one worker of a root in at a time, and names the other", async () => {
    const storage = tempStorage();
    const second = await asOnlyWorker(storage, () => asOnlyWorker(storage, work));
    expect(bad(second)).toEqual({
      code: "WORKER_BUSY",
      root: storage.root,
      holder: expect.stringContaining(`pid ${process.pid} on host `),
    });
    expect(good(await asOnlyWorker(storage, work))).toBe("worked");
    expect(existsSync(join(storage.paths.locks, "worker.lock"))).toBe(false);
  });

  it("refuses a root that is a file, and works nothing", async () => {
    const file = join(tempRoot(), "file");
    writeFileSync(file, "");
    let worked = false;
    const refused = await asOnlyWorker(tempStorage(file), async () => {
      worked = true;
      return ok(undefined);
    });
    expect([bad(refused).code, worked]).toEqual(["STORAGE_ROOT_UNUSABLE", false]);
  });
});

describe("withIndexLock", () => {
  it("holds the lock while the work runs, and only then", async () => {
    const storage = tempStorage();
    const lock = join(storage.paths.locks, "index.lock");
    const held = await withIndexLock(storage, async () => ok(existsSync(lock)));
    expect(good(held)).toBe(true);
    expect(existsSync(lock)).toBe(false);
  });

  it("lets one in after the other, in one process too", async () => {
    const storage = tempStorage();
    const log: string[] = [];
    const work = (name: string) =>
      withIndexLock(storage, async () => {
        log.push(`${name} in`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        log.push(`${name} out`);
        return ok(undefined);
      });
    await Promise.all([work("a"), work("b"), work("c")]);
    expect(log).toHaveLength(6);
    for (const [n, entry] of log.entries()) {
      if (n % 2 === 1) expect(entry).toBe(log[n - 1]?.replace("in", "out"));
    }
  });

  it("gives the lock back after a fault and after a bug", async () => {
    const storage = tempStorage();
    const refused = await withIndexLock(storage, async () => err(fault("BUG", { reason: "x" })));
    expect(bad(refused).code).toBe("BUG");
    const bug = withIndexLock(storage, async () => {
      throw new TypeError("bug");
    });
    await expect(bug).rejects.toThrow(TypeError);
    expect(existsSync(join(storage.paths.locks, "index.lock"))).toBe(false);
  });

  it("waits for a living holder no longer than its bound, names it, and runs nothing", async () => {
    const storage = tempStorage();
    const holder = await heldBySomebody(join(storage.paths.locks, "index.lock"));
    let ran = false;
    const work = async () => {
      ran = true;
      return ok(undefined);
    };
    const refused = bad(await withIndexLock(storage, work, 30));
    expect(refused).toMatchObject({ code: "LOCK_BUSY", waitedMs: 30 });
    expect(refused).toHaveProperty("holder", expect.stringContaining(`pid ${holder.pid} on host `));
    await holder.end();
    expect(await withIndexLock(storage, work, 0)).toEqual(ok(undefined));
    expect({ ran, usually: INDEX_WAIT_MS }).toEqual({ ran: true, usually: 10_000 });
  });

  it("refuses a root that is a file", async () => {
    const file = join(tempRoot(), "file");
    writeFileSync(file, "");
    const refused = await withIndexLock(tempStorage(file), async () => ok(undefined));
    expect(bad(refused).code).toBe("STORAGE_ROOT_UNUSABLE");
  });
});
