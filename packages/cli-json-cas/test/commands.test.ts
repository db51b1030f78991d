import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { META_SCHEMA_HASH, putSchema } from "@uncaged/json-cas";
import { createFsStore } from "@uncaged/json-cas-fs";
import { describe, expect, it } from "vitest";
import { json, jsonCas, RUNTIMES, temporaryDir } from "./support/run.js";

const PERSON = {
  title: "Person",
  type: "object",
  properties: { name: { type: "string" }, friend: { type: ["string", "null"], format: "cas_ref" } },
  required: ["name"],
  additionalProperties: false,
};

// The stores that commands are tried on are made here, in this process; "stores a schema and a node" makes one by commands.

async function storeWithType() {
  const dir = join(temporaryDir(), "cas");
  const store = createFsStore(dir);
  return { dir, store, type: await putSchema(store, PERSON) };
}

async function storeWithFriends() {
  const { dir, store, type } = await storeWithType();
  const ada = await store.put(type, { name: "Ada" });
  return { dir, type, ada, bob: await store.put(type, { name: "Bob", friend: ada }) };
}

describe.concurrent.each(RUNTIMES)("on %s", (runtime) => {
  it("stores a schema and a node, and gives them back", async () => {
    const dir = join(temporaryDir(), "cas");
    const { hash: type } = await json(dir, ["schema", "put", JSON.stringify(PERSON)], { runtime });
    expect(await json(dir, ["schema", "get", type], { runtime })).toEqual(PERSON);
    const put = await json(dir, ["put", type, "-"], { runtime, stdin: '{"name": "Ada"}' });
    expect(Object.keys(put)).toEqual(["hash"]);
    expect(await json(dir, ["get", put.hash], { runtime })).toEqual({ type, payload: { name: "Ada" } });
    const dated = await json(dir, ["get", put.hash, "--timestamp"], { runtime });
    expect(Object.keys(dated)).toEqual(["type", "payload", "timestamp"]);
    expect(Math.abs(dated.timestamp - Date.now())).toBeLessThan(600_000);
  });

  it("prints nothing that a terminal would obey, whatever a node holds", async () => {
    const { dir, store, type } = await storeWithType();
    const name = "\u001b[31m\u009b2J\u007f\u0007";
    const hash = await store.put(type, { name });
    const ran = await jsonCas(["--store", dir, "get", hash], { runtime });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(ran.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(JSON.parse(ran.stdout).payload).toEqual({ name });
  });

  it("says what is wrong on stderr, with a hint, and nothing on stdout", async () => {
    const { dir } = await storeWithType();
    const ran = await jsonCas(["--store", dir, "get", "0123456789ABC"], { runtime });
    expect(ran.code).toBe(3);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toMatch(/^error\[NODE_MISSING\]: node 0123456789ABC does not exist\nhint: .+\n$/);
  });
});

describe.concurrent("has", () => {
  it("prints {exists} and exits with 0 or 3", async () => {
    const { dir, type } = await storeWithType();
    expect(await jsonCas(["--store", dir, "has", type])).toMatchObject({
      code: 0,
      stdout: '{\n  "exists": true\n}\n',
    });
    const missing = await jsonCas(["--store", dir, "has", "0123456789ABC"]);
    expect(missing).toEqual({ code: 3, stdout: '{\n  "exists": false\n}\n', stderr: "" });
  });

  it("does not create a store", async () => {
    const parent = temporaryDir();
    expect((await jsonCas(["--store", join(parent, "cas"), "has", META_SCHEMA_HASH])).code).toBe(3);
    expect(readdirSync(parent)).toEqual([]);
  });
});

describe.concurrent("put", () => {
  it("takes JSON from the line, from stdin and from a file", async () => {
    const { dir, type } = await storeWithType();
    const file = join(temporaryDir(), "payload.json");
    writeFileSync(file, '\uFEFF{"name": "Ada"}\n');
    const { hash } = await json(dir, ["put", type, '{"name": "Ada"}']);
    expect(await json(dir, ["put", type, file])).toEqual({ hash });
    expect(await json(dir, ["put", type, "-"], { stdin: '{"name": "Ada"}' })).toEqual({ hash });
    expect((await json(dir, ["list", "--type", type])).hashes).toEqual([hash]);
  });

  it.each(["-5", "17", "true", "null", '"text"', "[1, 2]", "-0.5e3"])("takes %s for JSON", async (text) => {
    const dir = join(temporaryDir(), "cas");
    const { hash: type } = await json(dir, ["schema", "put", "{}"]);
    const { hash } = await json(dir, ["put", type, text]);
    expect((await json(dir, ["get", hash])).payload).toEqual(JSON.parse(text));
  });

  it.each([
    ['{"nam": "Ada"}', 4, "INVALID_PAYLOAD"],
    ['{"name": "Ada"', 4, "INVALID_INPUT"],
    ['{"name": "Ada", "age": 12345678901234567890}', 4, "NOT_STORABLE"],
    ["nonsense", 4, "INVALID_INPUT"],
    ["./missing.json", 3, "FILE_NOT_FOUND"],
    [".", 3, "FILE_NOT_FOUND"],
  ])("refuses %s with exit %d and %s, and stores nothing", async (argument, code, fault) => {
    const { dir, type } = await storeWithType();
    const before = readdirSync(dir);
    const ran = await jsonCas(["--store", dir, "put", type, argument]);
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toContain(`error[${fault}]: `);
    expect(readdirSync(dir)).toEqual(before);
  });

  it("refuses what is not UTF-8 instead of replacing it", async () => {
    const { dir, type } = await storeWithType();
    const stdin = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const ran = await jsonCas(["--store", dir, "put", type, "-"], { stdin });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("stdin: it is not UTF-8");
  });

  it("says of an unknown type that it is not a schema", async () => {
    const { dir } = await storeWithType();
    const ran = await jsonCas(["--store", dir, "put", "0123456789ABC", "1"]);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("error[UNKNOWN_TYPE]: type 0123456789ABC");
  });
});

describe.concurrent("refs and walk", () => {
  it("prints the references of a node", async () => {
    const { dir, ada, bob } = await storeWithFriends();
    expect(await json(dir, ["refs", bob])).toEqual({ refs: [ada] });
    expect(await json(dir, ["refs", ada])).toEqual({ refs: [] });
  });

  it("walks what a node reaches, with types when asked", async () => {
    const { dir, type, ada, bob } = await storeWithFriends();
    expect(await json(dir, ["walk", bob])).toEqual({ hashes: [bob, ada], missing: [] });
    const typed = await json(dir, ["walk", bob, "--types"]);
    expect([...typed.hashes].sort()).toEqual([bob, ada, type, META_SCHEMA_HASH].sort());
  });

  it("prints the tree line by line", async () => {
    const { dir, type, ada, bob } = await storeWithFriends();
    expect((await json(dir, ["walk", bob, "--tree"])).tree).toEqual([
      { depth: 0, hash: bob, type, repeated: false },
      { depth: 1, hash: ada, type, repeated: false },
    ]);
  });

  it("names what is missing and exits with 7", async () => {
    const { dir, ada, bob } = await storeWithFriends();
    rmSync(join(dir, `${ada}.bin`));
    const ran = await jsonCas(["--store", dir, "walk", bob]);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout)).toEqual({ hashes: [bob], missing: [{ hash: ada, referrer: bob }] });
    expect(ran.stderr).toBe(`warning: node ${ada} does not exist (referred to by ${bob})\n`);
  });
});

describe.concurrent("hashes", () => {
  it("are taken in lower case and as a prefix of at least 4 characters", async () => {
    const { dir, ada } = await storeWithFriends();
    expect((await json(dir, ["get", ada.toLowerCase()])).payload).toEqual({ name: "Ada" });
    expect((await json(dir, ["get", ada.slice(0, 8)])).payload).toEqual({ name: "Ada" });
  });

  it.each(["", "ABC", "not-a-hash", "0123456789ABCD", "ILOU"])(
    "are refused when malformed: %j",
    async (text) => {
      const { dir } = await storeWithType();
      const ran = await jsonCas(["--store", dir, "get", text]);
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain("error[MALFORMED_HASH]: ");
    },
  );
});

describe.concurrent("schema", () => {
  it("lists the meta-schema first, then by title", async () => {
    const { dir, type } = await storeWithType();
    const { hash: untitled } = await json(dir, ["schema", "put", '{"type": "string"}']);
    const { hash: animal } = await json(dir, ["schema", "put", '{"title": "Animal"}']);
    const listed: { hash: string; title: string | null }[] = await json(dir, ["schema", "list"]);
    expect(listed.map(({ hash }) => hash)).toEqual([META_SCHEMA_HASH, animal, type, untitled]);
    expect(listed.slice(1).map(({ title }) => title)).toEqual(["Animal", "Person", null]);
  });

  it("refuses a schema that is not one, with a suggestion", async () => {
    const ran = await jsonCas(["--store", join(temporaryDir(), "cas"), "schema", "put", '{"propertys": {}}']);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("error[INVALID_SCHEMA]: ");
    expect(ran.stderr).toContain('did you mean "properties"?');
  });

  it("validates JSON against a schema, and a stored node against its own", async () => {
    const { dir, type, ada } = await storeWithFriends();
    expect(await json(dir, ["schema", "validate", ada])).toEqual({ valid: true, violations: [] });
    const ran = await jsonCas(["--store", dir, "schema", "validate", type, '{"name": 1}']);
    expect(ran.code).toBe(4);
    const { valid, violations } = JSON.parse(ran.stdout);
    expect(valid).toBe(false);
    expect(violations).toMatchObject([{ path: "/name", keyword: "type" }]);
  });

  it("get refuses a node that is not a schema", async () => {
    const { dir, ada } = await storeWithFriends();
    const ran = await jsonCas(["--store", dir, "schema", "get", ada]);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("error[UNKNOWN_TYPE]");
  });
});

describe.concurrent("verify and reindex", () => {
  it("print figures of a sound store", async () => {
    const { dir } = await storeWithFriends();
    expect(await json(dir, ["verify"])).toMatchObject({ nodes: 4, types: 2, damaged: 0, problems: [] });
    expect(await json(dir, ["reindex"])).toMatchObject({ nodes: 4, added: 0, removed: 0 });
  });

  it("verify names every damaged node and exits with 7", async () => {
    const { dir, ada } = await storeWithFriends();
    truncateSync(join(dir, `${ada}.bin`), 5);
    const ran = await jsonCas(["--store", dir, "verify"]);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout)).toMatchObject({ damaged: 1, problems: [{ kind: "damaged", hash: ada }] });
    expect(ran.stderr).toContain(`warning: node ${ada}: `);
  });

  it("reindex builds an index that is gone", async () => {
    const { dir, type, ada, bob } = await storeWithFriends();
    rmSync(join(dir, "_index"), { recursive: true });
    expect(await json(dir, ["reindex"])).toMatchObject({ added: 4 });
    expect([...(await json(dir, ["list", "--type", type])).hashes].sort()).toEqual([ada, bob].sort());
  });

  it("a damaged node is exit 7 for get too", async () => {
    const { dir, ada } = await storeWithFriends();
    rmSync(join(dir, `${ada}.bin`));
    mkdirSync(join(dir, `${ada}.bin`));
    const ran = await jsonCas(["--store", dir, "get", ada]);
    expect(ran).toMatchObject({ code: 7, stdout: "" });
    expect(ran.stderr).toContain(`error[NODE_DAMAGED]: node ${ada} is damaged`);
  });
});
