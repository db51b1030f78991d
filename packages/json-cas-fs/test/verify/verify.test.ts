import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { META_SCHEMA_HASH } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { fsStoreFile, reindexStore, type StoreProblem, verifyStore } from "../../src/index.js";
import { isWriteSide, withFsCalls } from "../support/fs-calls.js";
import { person, storeWithType } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

function problemsOf(dir: string): readonly StoreProblem[] {
  const problems: StoreProblem[] = [];
  verifyStore(dir, (problem) => problems.push(problem));
  return problems;
}

async function friends() {
  const { dir, store, type } = await storeWithType();
  const ada = await store.put(type, person("Ada"));
  const bob = await store.put(type, person("Bob", ada));
  return { dir, store, type, ada, bob };
}

describe("verifyStore", () => {
  it("counts nodes and finds nothing wrong in a sound store", async () => {
    const { dir } = await friends();
    expect(problemsOf(dir)).toEqual([]);
    expect(verifyStore(dir, () => {})).toEqual({
      writtenBy: null,
      nodes: 4,
      packed: 0,
      packs: 0,
      damagedPacks: 0,
      types: 2,
      references: 1,
      damaged: 0,
      notIndexedOnly: 0,
      staleIndexLines: 0,
      temporaryFiles: 0,
      setAside: 0,
    });
  });

  it("finds nothing without a store", () => {
    expect(verifyStore(join(temporaryDir(), "cas"), () => {})).toMatchObject({ nodes: 0, damaged: 0 });
  });

  it("names a damaged node with its file", async () => {
    const { dir, ada } = await friends();
    const file = fsStoreFile(dir, ada);
    truncateSync(file, 10);
    expect(problemsOf(dir)).toMatchObject([{ kind: "damaged", hash: ada, file }]);
  });

  it("names a node that refers to one that is missing", async () => {
    const { dir, ada, bob } = await friends();
    rmSync(fsStoreFile(dir, ada));
    const problems = problemsOf(dir);
    expect(problems).toMatchObject([{ kind: "dangling", hash: bob }]);
    expect(problems[0]?.message).toContain(ada);
  });

  it("names every node whose type is missing or damaged", async () => {
    const { dir, type, ada, bob } = await friends();
    rmSync(fsStoreFile(dir, type));
    expect(
      problemsOf(dir)
        .map(({ kind, hash }) => `${kind} ${hash}`)
        .sort(),
    ).toEqual([`unknown-type ${ada}`, `unknown-type ${bob}`].sort());
    writeFileSync(fsStoreFile(dir, type), "x");
    expect(
      problemsOf(dir)
        .map(({ kind, hash }) => `${kind} ${hash}`)
        .sort(),
    ).toEqual([`damaged ${type}`, `unknown-type ${ada}`, `unknown-type ${bob}`].sort());
  });

  it("names a node that is missing from the index, once for one node", async () => {
    const { dir, type, ada, bob } = await friends();
    writeFileSync(join(dir, "_index", type), `${bob}\n`);
    expect(problemsOf(dir)).toMatchObject([{ kind: "not-indexed", hash: ada }]);
  });

  it("counts stale index lines and temporary files, which are no damage", async () => {
    const { dir, type, ada } = await friends();
    appendFileSync(join(dir, "_index", type), `${ada}\ntorn\n0000000000001\n`);
    writeFileSync(join(dir, `${ada}.bin.1a-2-0123456789a.tmp`), "");
    expect(verifyStore(dir, () => {})).toMatchObject({ damaged: 0, staleIndexLines: 3, temporaryFiles: 1 });
  });

  it("writes nothing", async () => {
    const { dir } = await friends();
    const calls = await withFsCalls(() => verifyStore(dir, () => {}));
    const isReading = (name: string) => name === "openSync" || name === "closeSync";
    expect(calls.filter((call) => isWriteSide(call) && !isReading(call.name))).toEqual([]);
  });
});

describe("reindexStore", () => {
  it("changes nothing in a sound index", async () => {
    const { dir } = await friends();
    expect(await reindexStore(dir)).toEqual({
      nodes: 4,
      types: 2,
      added: 0,
      removed: 0,
      damaged: 0,
      packIndexes: 0,
    });
  });

  it("builds an index that is gone", async () => {
    const { dir, store, type, ada, bob } = await friends();
    rmSync(join(dir, "_index"), { recursive: true });
    expect(store.listByType(type)).toEqual([]);
    expect(await reindexStore(dir)).toMatchObject({ added: 4, removed: 0 });
    expect([...store.listByType(type)].sort()).toEqual([ada, bob].sort());
    expect(problemsOf(dir)).toEqual([]);
  });

  it("drops lines that are torn, doubled, of another type or lead nowhere, and keeps the order of the others", async () => {
    const { dir, store, type, ada, bob } = await friends();
    writeFileSync(join(dir, "_index", type), `${bob}\n${type}\n0000000000001\n${bob}\n${ada}\ntorn`);
    expect(await reindexStore(dir)).toMatchObject({ added: 0, removed: 4 });
    expect(readFileSync(join(dir, "_index", type), "utf8")).toBe(`${bob}\n${ada}\n`);
    expect(store.listByType(type)).toEqual([ada, bob].sort());
    expect(verifyStore(dir, () => {}).staleIndexLines).toBe(0);
  });

  it("leaves damaged nodes out and counts them", async () => {
    const { dir, store, ada, type, bob } = await friends();
    truncateSync(fsStoreFile(dir, ada), 10);
    expect(await reindexStore(dir)).toMatchObject({ damaged: 1 });
    expect(store.listByType(type)).toEqual([bob]);
  });

  it("loses no node that is put while it runs", async () => {
    const { dir, store, type, ada, bob } = await friends();
    writeFileSync(join(dir, "_index", type), "torn");
    const file = join(dir, "_index", type);
    let late: Promise<unknown> | null = null;
    await withFsCalls(
      () => reindexStore(dir),
      (call) => {
        if (call.name !== "renameSync" || call.path !== file || late !== null) return;
        late = store.put(type, person("Late"));
      },
    );
    const hash = await (late as unknown as Promise<string>);
    expect([...store.listByType(type)].sort()).toEqual([ada, bob, hash].sort());
    expect(store.listByType(META_SCHEMA_HASH)).toHaveLength(2);
  });
});
