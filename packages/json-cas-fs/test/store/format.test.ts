import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CasError, type Hash, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import {
  createFsStore,
  createUsage,
  exportNodes,
  packStore,
  reindexStore,
  repairStore,
  verifyStore,
} from "../../src/index.js";
import { withFsCalls } from "../support/fs-calls.js";
import { ageAll, collect } from "../support/gc.js";
import { person, storeWithType } from "../support/store.js";
import { exported, imported } from "../transfer/support.js";

function failure(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return (error as CasError).fault;
  }
  return null;
}

describe("the format file", () => {
  it("is written with the first node", async () => {
    const { dir } = await storeWithType();
    expect(readFileSync(join(dir, "_format"), "utf8")).toBe("1\n");
  });

  it("may be absent: a store of before opens, and gets one with the next node", async () => {
    const { dir, type } = await storeWithType();
    rmSync(join(dir, "_format"));
    const store = createFsStore(dir);
    expect(store.get(type)).not.toBeNull();
    await store.put(type, person("Ada"));
    expect(readFileSync(join(dir, "_format"), "utf8")).toBe("1\n");
  });

  it.each(["2\n", "", "one", "1.5"])("refuses every access when it says %j", async (content) => {
    const { dir, type } = await storeWithType();
    writeFileSync(join(dir, "_format"), content);
    const unsupported = { code: "UNSUPPORTED_FORMAT", file: join(dir, "_format"), supported: "1 and 2" };
    expect(failure(() => createFsStore(dir).get(type))).toMatchObject(unsupported);
    expect(failure(() => createFsStore(dir).has(type))).toMatchObject(unsupported);
    expect(failure(() => createFsStore(dir).list())).toMatchObject(unsupported);
    expect(failure(() => createFsStore(dir).listByType(type))).toMatchObject(unsupported);
    expect(failure(() => verifyStore(dir, () => {}))).toMatchObject(unsupported);
    await expect(reindexStore(dir)).rejects.toMatchObject({ fault: unsupported });
    await expect(createFsStore(dir).put(type, person("Ada"))).rejects.toMatchObject({ fault: unsupported });
  });

  it("of a newer program lets nothing pack, collect, repair, measure, export or import the store", async () => {
    const { dir, type } = await storeWithType();
    const ada = await createFsStore(dir).put(type, person("Ada"));
    ageAll(dir);
    const other = await storeWithType();
    const bob = await other.store.put(other.type, person("Bob"));
    const file = exported(other.dir, [bob]);
    writeFileSync(join(dir, "_format"), "3\n");
    const before = readdirSync(dir, { recursive: true }).sort();
    const hold = <T>(work: () => T): T => work();
    const refused = { fault: { code: "UNSUPPORTED_FORMAT", file: join(dir, "_format") } };
    const pack = { roots: [], isWanted: () => true, now: Date.now };
    await expect(packStore(dir, pack)).rejects.toMatchObject(refused);
    await expect(collect(dir, [])).rejects.toMatchObject(refused);
    await expect(repairStore(dir, { now: Date.now(), hold, tell: () => {} })).rejects.toMatchObject(refused);
    expect(failure(() => createUsage(dir))).toMatchObject(refused.fault);
    expect(failure(() => exportNodes(dir, [ada], [], () => {}))).toMatchObject(refused.fault);
    await expect(imported(dir, file)).rejects.toMatchObject(refused);
    expect(readdirSync(dir, { recursive: true }).sort()).toEqual(before);
  });

  it("is not waited for when it is a named pipe", async () => {
    const { dir, type } = await storeWithType();
    rmSync(join(dir, "_format"));
    execFileSync("mkfifo", [join(dir, "_format")]);
    expect(failure(() => createFsStore(dir).get(type))).toMatchObject({
      code: "UNSUPPORTED_FORMAT",
      found: '""',
    });
  });

  it("is read once, at the first access", async () => {
    const { dir, type } = await storeWithType();
    const store = createFsStore(dir);
    const hashes: readonly Hash[] = [type, META_SCHEMA_HASH, type];
    const calls = await withFsCalls(() => hashes.map((hash) => store.get(hash)));
    const opened = calls.filter(({ name, path }) => name === "openSync" && path.endsWith("_format"));
    expect(opened).toHaveLength(1);
  });
});
