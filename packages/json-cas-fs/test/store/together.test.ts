import { existsSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { type Hash, META_SCHEMA_HASH, putSchema } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, fsStoreFile, verifyStore } from "../../src/index.js";
import { dyingAt, errnoError, isWriteSide, withFsCalls } from "../support/fs-calls.js";
import { skipFsync } from "../support/no-fsync.js";
import { leftovers, PERSON_SCHEMA, person, storeWithType } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

skipFsync();

const NAMES = ["Ada", "Grace", "Barbara"];

async function putThree(dir: string): Promise<readonly Hash[]> {
  const store = createFsStore(dir);
  return store.together(async (cas) => {
    const type = await putSchema(cas, PERSON_SCHEMA);
    const hashes: Hash[] = [];
    for (const name of NAMES) hashes.push(await cas.put(type, person(name)));
    return hashes;
  });
}

describe("nodes that are written together", () => {
  it("are all complete and in their durable index before the first has a name, and share the last sync", async () => {
    const { dir, store, type } = await storeWithType();
    const calls = await withFsCalls(() =>
      store.together(async (cas) => {
        for (const name of NAMES) await cas.put(type, person(name));
      }),
    );
    const ordered = calls.filter(({ name }) => ["fsyncSync", "linkSync"].includes(name));
    expect(ordered.map(({ name, path }) => `${name} ${path.endsWith(".tmp") ? "temporary" : path}`)).toEqual([
      ...NAMES.map(() => "fsyncSync temporary"),
      `fsyncSync ${join(dir, "_index", type)}`,
      `fsyncSync ${join(dir, "_index")}`,
      ...NAMES.map(() => expect.stringMatching(/^linkSync .*\.bin$/)),
      `fsyncSync ${dir}`,
    ]);
  });

  it("refer to each other, and can be read while the work goes on", async () => {
    const { store, type } = await storeWithType();
    await store.together(async (cas) => {
      const ada = await cas.put(type, person("Ada"));
      const friend = await cas.put(type, person("Grace", ada));
      expect(cas.get(friend)?.payload).toEqual(person("Grace", ada));
    });
  });

  it("have names after the type of all schemas, which has one at once: a gc stops where a schema has no type", async () => {
    const dir = join(temporaryDir(), "cas");
    await createFsStore(dir).together(async (cas) => {
      const type = await putSchema(cas, PERSON_SCHEMA);
      const named = [META_SCHEMA_HASH, type].map((hash) => existsSync(fsStoreFile(dir, hash)));
      expect(named).toEqual([true, false]);
    });
  });

  it("confirm existing nodes with the same single sync", async () => {
    const { dir, store, type } = await storeWithType();
    await store.put(type, person("Ada"));
    const calls = await withFsCalls(() =>
      store.together(async (cas) => {
        await cas.put(type, person("Ada"));
        await cas.put(type, person("Ada"));
      }),
    );
    expect(calls.filter(({ name }) => name === "fsyncSync").map(({ path }) => path)).toEqual([dir]);
  });

  it("are invisible to other processes before the work has ended, and leave nothing when it fails", async () => {
    const { dir, store, type } = await storeWithType();
    const before = store.list();
    const work = store.together(async (cas) => {
      const ada = await cas.put(type, person("Ada"));
      expect([cas.has(ada), store.has(ada), store.get(ada)]).toEqual([true, false, null]);
      throw new Error("changed my mind");
    });
    await expect(work).rejects.toThrow("changed my mind");
    expect(store.list()).toEqual(before);
    expect(leftovers(dir)).toEqual([]);
  });

  it("are listed like any others by the store that they were put into", async () => {
    const { store, type } = await storeWithType();
    await store.together(async (cas) => {
      const ada = await cas.put(type, person("Ada"));
      expect(cas.list()).toContain(ada);
      const grace = await cas.put(type, person("Grace", ada));
      expect(cas.listByType(type)).toEqual([ada, grace].sort());
    });
  });

  it("give way to another writer's node of the same hash, and mend it when it is damaged", async () => {
    for (const damaged of [false, true]) {
      const { dir, store, type } = await storeWithType();
      const other = createFsStore(dir);
      const ada = await store.together(async (cas) => {
        const hash = await cas.put(type, person("Ada"));
        await other.put(type, person("Ada"));
        if (damaged) truncateSync(fsStoreFile(dir, hash), 9);
        return hash;
      });
      expect(store.get(ada)?.payload).toEqual(person("Ada"));
      expect(leftovers(dir)).toEqual([]);
      expect(verifyStore(dir, () => {})).toMatchObject({ damaged: 0 });
    }
  });

  it("are not retried after a failed sync: the system reports it only once", async () => {
    const { dir, store, type } = await storeWithType();
    let refused = 0;
    const work = store.together(async (cas) => {
      await cas.put(type, person("Ada"));
      expect(() => cas.list()).toThrow("EIO");
      await expect(cas.put(type, person("Grace"))).rejects.toThrow("the batch has failed or ended");
    });
    const failing = withFsCalls(
      () => work,
      ({ name, path }) => {
        if (name !== "fsyncSync" || !path.endsWith(".tmp") || refused > 0) return;
        refused += 1;
        throw errnoError("EIO", name);
      },
    );
    await expect(failing).rejects.toThrow("the batch has failed or ended");
    expect(refused).toBe(1);
    expect(store.listByType(type)).toEqual([]);
    expect(leftovers(dir)).toEqual([]);
  });

  it("fail together if the last sync fails: no hash has been returned", async () => {
    const { dir, store, type } = await storeWithType();
    let told = false;
    const work = async (): Promise<void> => {
      await store.together((cas) => cas.put(type, person("Ada")));
      told = true;
    };
    const failing = withFsCalls(work, ({ name, path }) => {
      if (name === "fsyncSync" && path === dir) throw errnoError("EIO", name);
    });
    await expect(failing).rejects.toMatchObject({ fault: { code: "IO_FAILED", errno: "EIO" } });
    expect(told).toBe(false);
    expect(leftovers(dir)).toEqual([]);
  });

  it("pass on what the work throws", async () => {
    const { store, type } = await storeWithType();
    const work = store.together((cas) => cas.put(type, { wrong: true }));
    await expect(work).rejects.toMatchObject({ fault: { code: "INVALID_PAYLOAD" } });
  });

  it("leave a store that verifies and takes them again, wherever the process dies", async () => {
    const parent = temporaryDir();
    const isChange = (call: { readonly name: string; readonly path: string }): boolean =>
      isWriteSide(call) && call.name !== "closeSync";
    const whole = await dyingAt(Number.POSITIVE_INFINITY, isChange, () => putThree(join(parent, "whole")));
    expect(whole.died).toBe(false);
    for (const before of whole.changes.keys()) {
      const dir = join(parent, `cas-${before}`);
      expect((await dyingAt(before + 1, isChange, () => putThree(dir))).died).toBe(true);
      expect(verifyStore(dir, () => {}).damaged).toBe(0);
      for (const hash of await putThree(dir)) expect(existsSync(fsStoreFile(dir, hash))).toBe(true);
    }
  });
});
