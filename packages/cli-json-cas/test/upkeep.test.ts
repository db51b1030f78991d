import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Hash, META_SCHEMA_HASH, putSchema } from "@uncaged/json-cas";
import { createFsStore, fsStoreFile } from "@uncaged/json-cas-fs";
import { describe, expect, it } from "vitest";
import { json, jsonCas, RUNTIMES, temporaryDir } from "./support/run.js";

const PERSON = {
  title: "Person",
  type: "object",
  properties: { name: { type: "string" }, friend: { type: ["string", "null"], format: "cas_ref" } },
  required: ["name"],
  additionalProperties: false,
};

/** Bob → Ada are to be kept; Cy is garbage. All of them years old. */
async function friends() {
  const parent = temporaryDir();
  const dir = join(parent, "cas");
  const store = createFsStore(dir);
  const type = await putSchema(store, PERSON);
  const ada = await store.put(type, { name: "Ada" });
  const bob = await store.put(type, { name: "Bob", friend: ada });
  const cy = await store.put(type, { name: "Cy", friend: ada });
  for (const hash of store.list()) utimesSync(fsStoreFile(dir, hash), 1e9, 1e9);
  return { parent, dir, store, type, ada, bob, cy };
}

describe.concurrent.each(RUNTIMES)("on %s", (runtime) => {
  it("gc lists, and with --yes removes, what no root reaches", async () => {
    const { dir, store, bob, cy } = await friends();
    const listed = await json(dir, ["gc", "--root", bob], { runtime });
    expect(listed).toMatchObject({
      nodes: 5,
      roots: { given: 1 },
      reachable: 4,
      garbage: 1,
      removed: 0,
      hashes: [cy],
    });
    expect(store.has(cy)).toBe(true);
    const removed = await json(dir, ["gc", "--root", bob.toLowerCase(), "--yes"], { runtime });
    expect(removed).toMatchObject({
      removed: 1,
      indexLines: 1,
      refused: false,
      hashes: [cy],
      hashesOmitted: 0,
    });
    expect(store.list()).toHaveLength(4);
    expect(await json(dir, ["verify"], { runtime })).toMatchObject({
      nodes: 4,
      damaged: 0,
      staleIndexLines: 0,
    });
  });

  it("export and import carry nodes from store to store", async () => {
    const { parent, dir, store, bob } = await friends();
    const [file, other] = [join(parent, "out.jsonl"), join(parent, "other")];
    const made = await json(dir, ["export", bob, "-o", file], { runtime });
    expect(made).toEqual({
      file,
      nodes: 4,
      entries: 0,
      bytes: readFileSync(file).length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await json(other, ["import", file], { runtime })).toEqual({
      file,
      nodes: 4,
      added: 4,
      existed: 0,
      roots: [bob],
    });
    expect(await json(other, ["import", file], { runtime })).toMatchObject({ added: 0, existed: 4 });
    expect(await json(other, ["get", bob, "--timestamp"], { runtime })).toEqual(store.get(bob));
    const piped = await jsonCas(["--store", other, "export", bob, "-o", "-"], { runtime });
    expect(piped).toEqual({ code: 0, stdout: readFileSync(file, "utf8"), stderr: "" });
  });

  it("du says what the nodes take", async () => {
    const { dir, type } = await friends();
    const figures = await json(dir, ["du"], { runtime });
    expect(figures).toMatchObject({ nodes: 5, bytes: expect.any(Number) });
    expect(Object.keys(figures)).toEqual(["nodes", "bytes", "types"]);
    expect(
      figures.types.map(({ type: hash, title, nodes }: Record<string, unknown>) => [hash, title, nodes]),
    ).toEqual([
      [META_SCHEMA_HASH, "JSON Schema", 2],
      [type, "Person", 3],
    ]);
  });

  it("verify counts index lines that a race or a kill left, and warns of a node that has none", async () => {
    const { dir, type, bob } = await friends();
    const index = join(dir, "_index", type);
    appendFileSync(index, `${bob}\n0123456789ABC\n`);
    const quiet = await jsonCas(["--store", dir, "verify"], { runtime });
    expect({ code: quiet.code, stderr: quiet.stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(quiet.stdout)).toMatchObject({ damaged: 0, staleIndexLines: 2 });
    rmSync(index);
    const warned = await jsonCas(["--store", dir, "verify"], { runtime });
    expect(warned.code).toBe(7);
    expect(warned.stderr).toContain("`json-cas --store ./cas verify --repair` or");
  });

  it("verify names what is set aside and damaged, and no hint leads back to verify", async () => {
    const { dir, bob } = await friends();
    writeFileSync(join(dir, `${bob}.aside`), readFileSync(fsStoreFile(dir, bob)));
    truncateSync(fsStoreFile(dir, bob), 9);
    const plain = await jsonCas(["--store", dir, "verify"], { runtime });
    expect(plain.stderr).toContain("`json-cas --store ./cas verify --repair` restores them");
    expect(await json(dir, ["verify", "--repair"], { runtime })).toMatchObject({
      damaged: 0,
      setAside: 0,
      repaired: { restored: 1 },
    });
    writeFileSync(join(dir, `${bob}.aside`), "x");
    truncateSync(fsStoreFile(dir, bob), 9);
    const damaged = await jsonCas(["--store", dir, "verify", "--repair"], { runtime });
    expect(damaged.code).toBe(7);
    expect(damaged.stderr).toContain(join(dir, `${bob}.aside`));
    expect(damaged.stderr).not.toContain("restores them");
  });

  it("verify --repair puts right what can be, and names what cannot", async () => {
    const { dir, ada, bob } = await friends();
    rmSync(join(dir, "_index"), { recursive: true });
    const litter = join(dir, `${ada}.bin.1-1-0123456789a.tmp`);
    writeFileSync(litter, "");
    utimesSync(litter, 1, 1);
    const plain = await jsonCas(["--store", dir, "verify"], { runtime });
    expect(plain.code).toBe(7);
    expect(plain.stderr).toContain(
      "`json-cas --store ./cas verify --repair` or `json-cas --store ./cas reindex`",
    );
    const repaired = await json(dir, ["verify", "--repair"], { runtime });
    expect(repaired).toMatchObject({
      damaged: 0,
      temporaryFiles: 0,
      repaired: { temporaryFiles: 1, indexLinesAdded: 5 },
    });
    expect(existsSync(litter)).toBe(false);
    truncateSync(fsStoreFile(dir, bob), 9);
    const damaged = await jsonCas(["--store", dir, "verify", "--repair"], { runtime });
    expect(damaged.code).toBe(7);
    expect(damaged.stderr).toContain(`node ${bob}: `);
    expect(damaged.stderr).toContain(fsStoreFile(dir, bob));
    expect(readFileSync(fsStoreFile(dir, bob))).toHaveLength(9);
  });
});

describe.concurrent("gc", () => {
  it("without a root is a usage error, and with a root that is not there too little is known", async () => {
    const { dir, store } = await friends();
    expect(await jsonCas(["--store", dir, "gc", "--yes"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--root"),
    });
    expect(await jsonCas(["--store", dir, "gc", "--yes", "--root", "0000000000001"])).toMatchObject({
      code: 3,
      stdout: "",
    });
    for (const grace of ["", "x", "-1", "1w", "1.5h", "1e3"]) {
      expect(
        (await jsonCas(["--store", dir, "gc", "--root", META_SCHEMA_HASH, `--grace=${grace}`, "--yes"])).code,
      ).toBe(2);
    }
    expect(store.list()).toHaveLength(5);
  });

  it("keeps what is younger than the grace period", async () => {
    const { dir, store, bob, cy } = await friends();
    const hourAgo = Date.now() / 1000 - 3600;
    utimesSync(fsStoreFile(dir, cy), hourAgo, hourAgo);
    expect(await json(dir, ["gc", "--root", bob, "--grace", "2h", "--yes"])).toMatchObject({
      young: 1,
      removed: 0,
    });
    expect(await json(dir, ["gc", "--root", bob, "--grace", "30m", "--yes"])).toMatchObject({
      young: 0,
      removed: 1,
    });
    expect(store.has(cy)).toBe(false);
  });

  it("removes nothing, and exits with 7, when something that is needed is missing or damaged", async () => {
    for (const harm of [rmSync, (file: string) => truncateSync(file, 3)]) {
      const { dir, store, ada, bob, cy } = await friends();
      harm(fsStoreFile(dir, ada));
      const ran = await jsonCas(["--store", dir, "gc", "--root", bob, "--yes"]);
      expect(ran.code).toBe(7);
      expect(JSON.parse(ran.stdout)).toMatchObject({ refused: true, removed: 0, problems: [{ hash: ada }] });
      expect(ran.stderr).toContain(ada);
      expect(store.has(cy)).toBe(true);
    }
  });
});

describe.concurrent("export", () => {
  it("replaces a file only with --force, and leaves nothing behind when it fails", async () => {
    const { parent, dir, ada, bob } = await friends();
    const file = join(parent, "out.jsonl");
    writeFileSync(file, "mine");
    expect(await jsonCas(["--store", dir, "export", bob, "-o", file])).toMatchObject({ code: 4, stdout: "" });
    expect(readFileSync(file, "utf8")).toBe("mine");
    await json(dir, ["export", bob, "-o", file, "--force"]);
    expect(readFileSync(file, "utf8")).toContain("json-cas-pack");
    rmSync(fsStoreFile(dir, ada));
    const failed = await jsonCas(["--store", dir, "export", bob, "-o", join(parent, "second.jsonl")]);
    expect(failed).toMatchObject({ code: 7, stdout: "" });
    expect(failed.stderr).toContain(ada);
    expect(readdirSync(parent).sort()).toEqual(["cas", "out.jsonl"]);
    expect((await jsonCas(["--store", dir, "export", bob])).code).toBe(2);
    expect((await jsonCas(["--store", dir, "export", "0000000000001", "-o", "x"])).code).toBe(3);
  });
});

describe.concurrent("import", () => {
  it("refuses what is not whole and sound, says why, and writes nothing", async () => {
    const { parent, dir, bob } = await friends();
    const file = join(parent, "out.jsonl");
    await json(dir, ["export", bob, "-o", file]);
    const text = readFileSync(file, "utf8");
    const wrong: Readonly<Record<string, string>> = {
      empty: "",
      foreign: '{"a":1}\n',
      cut: text.slice(0, -20),
      changed: text.replace(/"sha256":"./, '"sha256":"g'),
      flipped: text.replace(
        /(.)"\}\n\{"end"/,
        (_all, last: string) => `${last === "A" ? "B" : "A"}"}\n{"end"`,
      ),
      later: text.replace('"version":1', '"version":9'),
    };
    const other = join(parent, "other");
    for (const [name, content] of Object.entries(wrong)) {
      const path = join(parent, name);
      writeFileSync(path, content);
      const ran = await jsonCas(["--store", other, "import", path]);
      expect({ name, code: ran.code, stdout: ran.stdout }).toEqual({ name, code: 4, stdout: "" });
      expect(ran.stderr).toMatch(new RegExp(`^error\\[INVALID_INPUT\\]: ${path}: .+\nhint: .+\n$`));
      expect(existsSync(other), name).toBe(false);
    }
    expect((await jsonCas(["--store", other, "import", join(parent, "absent")])).code).toBe(3);
    expect((await jsonCas(["--store", other, "import", parent])).code).toBe(4);
  });

  it("keeps a store of its own beside others untouched", async () => {
    const { parent, dir, bob, cy } = await friends();
    const file = join(parent, "out.jsonl");
    await json(dir, ["export", cy, bob, "-o", file]);
    const other = createFsStore(join(parent, "other"));
    const mine: Hash = await other.put(await putSchema(other, PERSON), { name: "Mine" });
    expect(await json(join(parent, "other"), ["import", file])).toMatchObject({
      nodes: 5,
      added: 3,
      existed: 2,
    });
    expect(other.get(mine)?.payload).toEqual({ name: "Mine" });
  });
});
