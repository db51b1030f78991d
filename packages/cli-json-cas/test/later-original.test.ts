import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { computeHash, encodeNode, type Hash, type JsonValue } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { json, jsonCas, temporaryDir } from "./support/run.js";

/** The type of json-cas 0.5's schemas, as the conformance vectors have it. */
const ROOT = "3RZYZ9X0Y34K7" as Hash;

const PERSON = {
  type: "object",
  properties: { name: { type: "string" }, friend: { type: "string", format: "cas_ref" } },
  required: ["name"],
  additionalProperties: false,
};

/** A store as json-cas 0.5 leaves it: its root is its own type, and not hashed as ours is. */
function store05() {
  const dir = temporaryDir();
  mkdirSync(join(dir, "_index"));
  const write = (hash: Hash, type: Hash, payload: JsonValue): Hash => {
    writeFileSync(join(dir, `${hash}.bin`), encodeNode({ type, payload, timestamp: 1 }));
    writeFileSync(join(dir, "_index", type), `${hash}\n`, { flag: "a" });
    return hash;
  };
  const put = (type: Hash, payload: JsonValue): Hash => write(computeHash(type, payload), type, payload);
  write(ROOT, ROOT, { name: "root of another shape" });
  const person = put(ROOT, PERSON);
  const alice = put(person, { name: "Alice" });
  const bob = put(person, { name: "Bob", friend: alice });
  return { dir, person, alice, bob, put, write };
}

describe("a store of json-cas 0.5", () => {
  it("is the one of the vectors", () => {
    expect(store05()).toMatchObject({
      person: "F7T6E5RQ7TZ3M",
      alice: "507J6A0KSJCY8",
      bob: "FGPVDQ72XZY6F",
    });
  });

  it("is named as such and not called damaged", async () => {
    const { dir, bob, alice } = store05();
    const ran = await jsonCas(["--store", dir, "verify"]);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      writtenBy: "json-cas 0.5",
      nodes: 4,
      damaged: 0,
      problems: [],
    });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("this store was written by json-cas 0.5");
    expect(await json(dir, ["refs", bob])).toEqual({ refs: [alice] });
    const root = await jsonCas(["--store", dir, "get", ROOT]);
    expect(root.stderr).toContain("the schemas of a store that json-cas 0.5 has written");
  });

  it("is damaged where a node of it is", async () => {
    const { dir, person, write } = store05();
    write("0123456789ABC" as Hash, person, { name: "Eve" });
    const ran = await jsonCas(["--store", dir, "verify"]);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout)).toMatchObject({ damaged: 1, problems: [{ hash: "0123456789ABC" }] });
  });

  it("gives its nodes to a store of ours, each where its hash holds, and what does not hold is named", async () => {
    const { dir, person, alice, bob, put, write } = store05();
    write("0123456789ABC" as Hash, person, { name: "Eve" });
    const carol = put(person, { name: "Carol", friend: "0123456789ABC" });
    const ours = temporaryDir();
    const ran = await jsonCas(["--store", ours, "import", "--from-root", dir]);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      writtenBy: "json-cas 0.5",
      nodes: 6,
      taken: 4,
      added: 4,
      problems: expect.arrayContaining([
        { hash: "0123456789ABC", message: "it was not imported: its content has another hash" },
        { hash: ROOT, message: expect.stringMatching(/^it was not imported: .* json-cas 0\.5 has written/) },
        { hash: carol, message: "it was imported, but refers to 0123456789ABC, which is missing" },
      ]),
    });
    expect(await json(ours, ["get", bob])).toEqual({ type: person, payload: { name: "Bob", friend: alice } });
    const again = await jsonCas(["--store", ours, "import", "--from-root", dir]);
    expect(JSON.parse(again.stdout)).toMatchObject({ taken: 4, added: 0 });
    expect(JSON.parse((await jsonCas(["--store", ours, "verify"])).stdout)).toMatchObject({
      problems: [{ kind: "dangling", hash: carol }],
    });
  });

  it("can be exported and imported, and collected, without its root", async () => {
    const { dir, bob, person } = store05();
    const ours = temporaryDir();
    await jsonCas(["--store", ours, "import", "--from-root", dir]);
    const file = join(temporaryDir(), "bob.jsonl");
    expect(await json(ours, ["export", bob, "-o", file])).toMatchObject({ nodes: 3 });
    expect(await json(temporaryDir(), ["import", file])).toMatchObject({ nodes: 3, added: 3 });
    expect(await json(ours, ["gc", "--root", bob, "--grace", "0s"])).toMatchObject({
      reachable: 3,
      refused: false,
    });
    expect(await json(ours, ["refs", person])).toEqual({ refs: [] });
  });
});

describe("import", () => {
  it.each([[[]], [["a.jsonl", "--from-root", "b"]]])("refuses %j: it takes one of them", async (args) => {
    const ran = await jsonCas(["--store", temporaryDir(), "import", ...args]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("an export file or --from-root <dir>");
  });

  it("names a folder that is not there", async () => {
    const ran = await jsonCas(["--store", temporaryDir(), "import", "--from-root", "/nowhere/at/all"]);
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(ran.stderr).toContain("/nowhere/at/all");
  });

  it("takes a whole store of json-cas 0.4 over, its root too", async () => {
    const original = join(import.meta.dirname, "../../json-cas/test/fixtures/store-0.4");
    const ran = await jsonCas(["--store", temporaryDir(), "import", "--from-root", original]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ writtenBy: "json-cas 0.4", nodes: 28, taken: 28 });
    expect(ran.stderr.match(/but violates its schema/g)).toHaveLength(3);
  });
});
