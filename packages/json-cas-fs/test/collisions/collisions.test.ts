import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CasNode,
  computeHash,
  declareTypes,
  encodeNode,
  type Hash,
  type JsonValue,
  META_SCHEMA_HASH,
  putSchema,
} from "@uncaged/json-cas";
import { beforeAll, describe, expect, it } from "vitest";
import { secondPreimage } from "../../../json-cas/test/support/second-preimage.js";
import {
  createFsStore,
  exportNodes,
  fsStoreFile,
  importRoot,
  packStore,
  repairStore,
  type StoreProblem,
  verifyStore,
} from "../../src/index.js";
import { newPack } from "../../src/pack/index.js";
import { mergePacks } from "../../src/store/index.js";
import { collect } from "../support/gc.js";
import { skipFsync } from "../support/no-fsync.js";
import { temporaryDir } from "../support/temp.js";
import { imported, packed, refusal } from "../transfer/support.js";

skipFsync();

const AT = 1_700_000_000_000;
const KNOWN: JsonValue = {
  title: "a type that the program knows",
  type: "object",
  properties: { to: { type: "string", format: "cas_ref" } },
  additionalProperties: false,
};
const KNOWN_TYPE = computeHash(META_SCHEMA_HASH, KNOWN);
const TEXT: JsonValue = {
  title: "Text",
  type: "object",
  properties: { text: { type: "string" } },
  additionalProperties: false,
};
const TEXT_TYPE = computeHash(META_SCHEMA_HASH, TEXT);

const asSchema = (title: string): JsonValue => ({ type: "object", unevaluatedProperties: { title } });
const asText = (text: string): JsonValue => ({ text });

function nodeOf(type: Hash, payload: JsonValue): Uint8Array {
  return encodeNode({ type, payload, timestamp: AT });
}

/** What an attacker gives for the hash of a built-in type: which says that it has no references, and checks nothing. */
const FORGERIES: readonly (readonly [string, Hash, Uint8Array])[] = [
  ["a schema", KNOWN_TYPE, nodeOf(META_SCHEMA_HASH, secondPreimage(KNOWN_TYPE, META_SCHEMA_HASH, asSchema))],
  ["a text", KNOWN_TYPE, nodeOf(TEXT_TYPE, secondPreimage(KNOWN_TYPE, TEXT_TYPE, asText))],
  [
    "a meta-schema",
    META_SCHEMA_HASH,
    nodeOf(META_SCHEMA_HASH, secondPreimage(META_SCHEMA_HASH, null, asSchema)),
  ],
  [
    "a text for the meta-schema",
    META_SCHEMA_HASH,
    nodeOf(TEXT_TYPE, secondPreimage(META_SCHEMA_HASH, TEXT_TYPE, asText)),
  ],
];

beforeAll(() => declareTypes([[KNOWN_TYPE, KNOWN]]));

/** head → middle → end, all of the built-in type, and a text. */
async function world() {
  const dir = join(temporaryDir(), "cas");
  const store = createFsStore(dir, { now: () => AT });
  await putSchema(store, TEXT);
  await putSchema(store, KNOWN);
  const end = await store.put(KNOWN_TYPE, {});
  const middle = await store.put(KNOWN_TYPE, { to: end });
  const head = await store.put(KNOWN_TYPE, { to: middle });
  const text = await store.put(TEXT_TYPE, { text: "as it was" });
  return { dir, store, end, middle, head, text };
}

async function storeWithText(): Promise<string> {
  const dir = join(temporaryDir(), "cas");
  await putSchema(createFsStore(dir, { now: () => AT }), TEXT);
  return dir;
}

/** As somebody does who can write into the folder. */
function plant(dir: string, hash: Hash, bytes: Uint8Array, where: "file" | "pack"): void {
  const type = Buffer.from(bytes.subarray(7, 20)).toString();
  appendFileSync(join(dir, "_index", type), `${hash}\n`);
  if (where === "file") writeFileSync(fsStoreFile(dir, hash), bytes);
  else {
    const pack = newPack(dir);
    pack.add(hash, bytes);
    pack.finish();
    pack.drop();
    writeFileSync(join(dir, "_format"), "2: packed nodes, needs a newer version\n");
  }
}

function problemsIn(dir: string): readonly StoreProblem[] {
  const problems: StoreProblem[] = [];
  verifyStore(dir, (problem) => problems.push(problem));
  return problems;
}

function bytesIn(dir: string, hash: Hash): Uint8Array {
  return encodeNode(createFsStore(dir).get(hash) as CasNode);
}

describe.each(FORGERIES)("%s under the hash of a built-in type", (_what, hash, bytes) => {
  it("is refused by an import, in each of its forms", async () => {
    const { dir } = await world();
    const schemas = [META_SCHEMA_HASH, TEXT_TYPE].filter((schema) => schema !== hash);
    const nodes = [
      ...schemas.map((schema) => [schema, bytesIn(dir, schema)] as const),
      [hash, bytes] as const,
    ];
    const reason = hash === META_SCHEMA_HASH ? /built-in|the type/ : /built-in/;
    expect(refusal(packed(nodes))).toMatch(reason);
    const from = await storeWithText();
    plant(from, hash, bytes, "file");
    const into = join(temporaryDir(), "cas");
    const told: string[] = [];
    await importRoot(into, from, Date.now, (about, message) => told.push(`${about} ${message}`));
    expect(told.join("\n")).toContain(
      `${hash} it was not imported: its content is not that of the built-in type`,
    );
    expect(createFsStore(into).has(hash)).toBe(false);
  });

  it.each(["file", "pack"] as const)("is found in a %s, and removes nothing", async (where) => {
    const { dir, head, middle, end } = await world();
    rmSync(fsStoreFile(dir, hash));
    plant(dir, hash, bytes, where);
    expect(problemsIn(dir)).toContainEqual(
      expect.objectContaining({ kind: "damaged", hash, message: expect.stringContaining("built-in type") }),
    );
    expect(() => createFsStore(dir).get(hash)).toThrow("built-in type");
    const { figures, troubles } = await collect(dir, [head], { cutoff: Date.now() + 60_000 });
    expect(figures).toMatchObject({ refused: true, removed: 0 });
    expect(troubles.some(({ stops }) => stops)).toBe(true);
    for (const one of [head, middle, end]) expect(createFsStore(dir).has(one)).toBe(true);
    const pieces: Uint8Array[] = [];
    expect(() => exportNodes(dir, [head], [], (piece) => pieces.push(piece))).toThrow();
  });

  it.each(["file", "pack"] as const)("is replaced in a %s by a repair, and by a put", async (where) => {
    for (const way of ["repair", "put"] as const) {
      const dir = await storeWithText();
      if (hash === META_SCHEMA_HASH) writeFileSync(fsStoreFile(dir, hash), "");
      plant(dir, hash, bytes, where);
      const schema = hash === META_SCHEMA_HASH ? null : KNOWN;
      if (way === "put" && schema !== null) expect(await putSchema(createFsStore(dir), schema)).toBe(hash);
      if (way === "repair" || schema === null)
        await repairStore(dir, { now: Date.now(), hold: (work) => work(), tell: () => {} });
      expect(createFsStore(dir).get(hash)).not.toBeNull();
      if (way === "repair") expect(problemsIn(dir)).toEqual([]);
    }
  });
});

describe("another content under the hash of a node", () => {
  async function twin() {
    const made = await world();
    const bytes = nodeOf(TEXT_TYPE, secondPreimage(made.text, TEXT_TYPE, asText));
    return { ...made, bytes };
  }
  const collision = { fault: { code: "HASH_COLLISION" } };

  it.each(["file", "pack"] as const)("cannot be put where a %s has the node", async (where) => {
    const { dir, text, bytes } = await twin();
    if (where === "pack") await packStore(dir, { roots: [], isWanted: () => true, now: () => AT });
    const payload = secondPreimage(text, TEXT_TYPE, asText);
    const store = createFsStore(dir);
    await expect(store.put(TEXT_TYPE, payload)).rejects.toMatchObject(collision);
    await expect(store.together((cas) => cas.put(TEXT_TYPE, payload))).rejects.toMatchObject(collision);
    await expect(
      store.together(async (cas) => {
        await cas.put(TEXT_TYPE, { text: "as it was" });
        await cas.put(TEXT_TYPE, payload);
      }),
    ).rejects.toMatchObject(collision);
    expect(store.get(text)?.payload).toEqual({ text: "as it was" });
    expect(Buffer.from(bytesIn(dir, text)).equals(bytes)).toBe(false);
  });

  it.each(["file", "pack"] as const)("cannot be imported where a %s has the node", async (where) => {
    const { dir, text, bytes } = await twin();
    const nodes = [META_SCHEMA_HASH, TEXT_TYPE].map((schema) => [schema, bytesIn(dir, schema)] as const);
    if (where === "pack") await packStore(dir, { roots: [], isWanted: () => true, now: () => AT });
    const files = readdirSync(dir);
    for (const file of [packed([...nodes, [text, bytes]])])
      await expect(imported(dir, file)).rejects.toMatchObject(collision);
    const from = await storeWithText();
    plant(from, text, bytes, "file");
    await expect(importRoot(dir, from, Date.now, () => {})).rejects.toMatchObject(collision);
    expect(createFsStore(dir).get(text)?.payload).toEqual({ text: "as it was" });
    expect(readdirSync(dir)).toEqual(files);
  });

  it("that came first keeps the later one out", async () => {
    const { text, bytes } = await twin();
    const dir = await storeWithText();
    plant(dir, text, bytes, "file");
    const put = createFsStore(dir).put(TEXT_TYPE, { text: "as it was" });
    await expect(put).rejects.toMatchObject(collision);
  });

  it("cannot be a schema by which a gc drops what a user's type refers to: whichever came first keeps the other out", async () => {
    const schema: JsonValue = {
      type: "object",
      properties: { note: { type: "string", format: "cas_ref" } },
      additionalProperties: false,
    };
    const type = computeHash(META_SCHEMA_HASH, schema);
    const forgedType = nodeOf(META_SCHEMA_HASH, secondPreimage(type, META_SCHEMA_HASH, asSchema));
    const meta = bytesIn((await world()).dir, META_SCHEMA_HASH);
    const file = packed([
      [META_SCHEMA_HASH, meta],
      [type, forgedType],
    ]);
    const { dir, store, text } = await world();
    await putSchema(store, schema);
    const noted = await store.put(type, { note: text });
    await expect(imported(dir, file)).rejects.toMatchObject(collision);
    await collect(dir, [noted], { cutoff: Date.now() + 60_000 });
    expect(createFsStore(dir).has(text)).toBe(true);
    const other = await world();
    await imported(other.dir, file);
    await expect(putSchema(createFsStore(other.dir), schema)).rejects.toMatchObject(collision);
  });

  it.each([
    ["a file and a pack", "file"],
    ["two packs", "pack"],
  ] as const)("is found in %s, of which neither is packed, merged or removed", async (_what, where) => {
    const { dir, text, bytes } = await twin();
    await packStore(dir, { roots: [], isWanted: () => true, now: () => AT });
    plant(dir, text, bytes, where);
    const clash = {
      kind: "damaged",
      hash: text,
      message: "another copy with the same hash has different content",
    };
    expect(problemsIn(dir)).toContainEqual(expect.objectContaining(clash));
    const { figures } = await collect(dir, [text], { cutoff: Date.now() + 60_000 });
    expect(figures).toMatchObject({ refused: true, removed: 0 });
    const others = Array.from({ length: 40 }, (_, index) => [{ text: `${index} a` }, { text: `${index} b` }]);
    for (const payloads of others) {
      const pack = newPack(dir);
      for (const payload of payloads) pack.add(computeHash(TEXT_TYPE, payload), nodeOf(TEXT_TYPE, payload));
      pack.finish();
      pack.drop();
    }
    mergePacks(dir);
    await packStore(dir, { roots: [], isWanted: () => true, now: () => AT });
    expect(problemsIn(dir)).toContainEqual(expect.objectContaining(clash));
    const all = readdirSync(join(dir, "pack")).map((name) => readFileSync(join(dir, "pack", name)));
    const loose = readdirSync(dir).filter((name) => name.endsWith(".bin"));
    const copies = [...all, ...loose.map((name) => readFileSync(join(dir, name)))];
    expect(copies.some((copy) => copy.includes("as it was"))).toBe(true);
    expect(copies.some((copy) => copy.includes(Buffer.from(bytes)))).toBe(true);
  });

  it("is no clash when it is the same node with another time", async () => {
    const { dir, text } = await twin();
    await packStore(dir, { roots: [], isWanted: () => true, now: () => AT });
    plant(
      dir,
      text,
      encodeNode({ type: TEXT_TYPE, payload: { text: "as it was" }, timestamp: AT + 1 }),
      "pack",
    );
    plant(
      dir,
      text,
      encodeNode({ type: TEXT_TYPE, payload: { text: "as it was" }, timestamp: AT + 2 }),
      "file",
    );
    expect(problemsIn(dir)).toEqual([]);
  });
});
