import { execFileSync } from "node:child_process";
import {
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { META_SCHEMA_HASH, putSchema } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createUsage, fsStoreFile, verifyStore } from "../../src/index.js";
import { skipFsync } from "../support/no-fsync.js";
import { person, storeWithType } from "../support/store.js";

skipFsync();

async function friends() {
  const { dir, store, type } = await storeWithType();
  const ada = await store.put(type, person("Ada"));
  const bob = await store.put(type, person("Bob", ada));
  const cy = await store.put(type, person("Cy", ada));
  const size = (...hashes: readonly (typeof ada)[]) =>
    hashes.reduce((sum, hash) => sum + statSync(fsStoreFile(dir, hash)).size, 0);
  return { dir, type, ada, bob, cy, size };
}

describe("createUsage", () => {
  it("sums nodes and bytes by type, the largest first", async () => {
    const { dir, type, ada, bob, cy, size } = await friends();
    const schemas = size(META_SCHEMA_HASH, type);
    const people = size(ada, bob, cy);
    expect(createUsage(dir).figures()).toEqual({
      nodes: 5,
      bytes: schemas + people,
      types: [
        { type: META_SCHEMA_HASH, title: "JSON Schema", nodes: 2, bytes: schemas },
        { type, title: "Person", nodes: 3, bytes: people },
      ],
    });
  });

  it("counts nodes that roots reach, each once, and unreachable ones", async () => {
    const { dir, type, ada, bob, cy, size } = await friends();
    const usage = createUsage(dir);
    const shared = size(META_SCHEMA_HASH, type, ada);
    expect(usage.of([bob])).toEqual({ nodes: 4, bytes: shared + size(bob), isWhole: true });
    expect(usage.rest()).toEqual({ nodes: 1, bytes: size(cy) });
    expect(usage.of([bob, cy, bob])).toEqual({ nodes: 5, bytes: shared + size(bob, cy), isWhole: true });
    expect(usage.rest()).toEqual({ nodes: 0, bytes: 0 });
  });

  it("counts the rest if something is missing or damaged, and says so", async () => {
    const { dir, bob, ada, cy } = await friends();
    truncateSync(fsStoreFile(dir, cy), 3);
    rmSync(fsStoreFile(dir, ada));
    const usage = createUsage(dir);
    expect(usage.of([bob])).toMatchObject({ nodes: 3, isWhole: false });
    expect(usage.of([cy])).toMatchObject({ nodes: 1, bytes: 3, isWhole: false });
    expect(usage.figures().types.at(-1)).toEqual({ type: null, title: null, nodes: 1, bytes: 3 });
  });

  it("says of a damaged node that what reaches it is not whole", async () => {
    const { dir, store } = await storeWithType();
    const type = await putSchema(store, { type: "string" });
    const texts = await store.together((cas) =>
      Promise.all([...Array(40).keys()].map((n) => cas.put(type, `text ${n}`))),
    );
    const before = createUsage(dir).of(texts);
    expect(before).toMatchObject({ nodes: 42, isWhole: true });
    const [pack = ""] = readdirSync(join(dir, "pack")).filter((name) => name.endsWith(".pack"));
    const bytes = readFileSync(join(dir, "pack", pack));
    bytes.write("TEXT 7", bytes.indexOf("text 7"));
    writeFileSync(join(dir, "pack", pack), bytes);
    expect(createUsage(dir).of(texts)).toEqual({ ...before, isWhole: false });
    expect(verifyStore(dir, () => {})).toMatchObject({ damaged: 1, damagedPacks: 1 });
  });

  it("waits for no named pipe and follows no link under the name of a node", async () => {
    const { dir, ada, bob, cy } = await friends();
    for (const hash of [ada, cy]) rmSync(fsStoreFile(dir, hash));
    execFileSync("mkfifo", [fsStoreFile(dir, ada)]);
    symlinkSync(fsStoreFile(dir, bob), fsStoreFile(dir, cy));
    expect(createUsage(dir).figures().types.at(-1)).toEqual({ type: null, title: null, nodes: 2, bytes: 0 });
  });

  it("finds nothing without a store", () => {
    expect(createUsage("/nonexistent/cas").figures()).toEqual({ nodes: 0, bytes: 0, types: [] });
  });
});
