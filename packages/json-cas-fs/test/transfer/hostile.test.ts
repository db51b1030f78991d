import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  computeHash,
  encode,
  encodeNode,
  type Hash,
  type JsonValue,
  META_SCHEMA_HASH,
} from "@uncaged/json-cas";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ExportFileError, openExport } from "../../src/index.js";
import { skipFsync } from "../support/no-fsync.js";
import { person } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";
import { exported, fileOf, friends, packed, refusal } from "./support.js";

skipFsync();

let pack: Buffer;
let bytesOf: (hash: Hash) => Uint8Array;
let world: Awaited<ReturnType<typeof friends>>;

beforeAll(async () => {
  world = await friends();
  pack = exported(world.dir, [world.cy], [{ name: "an entry" }]);
  const bytes = new Map(world.store.list().map((hash) => [hash, encodeNode(world.store.get(hash)!)]));
  bytesOf = (hash) => bytes.get(hash) ?? new Uint8Array();
});

const AT = 1_700_000_000_000;

describe("a pack that is not what an export writes is refused", () => {
  it("but not one that is", () => {
    expect(refusal(pack)).toBeNull();
  });

  it("when it is cut short, anywhere, or something follows", () => {
    for (let length = 0; length < pack.length; length += 3) {
      expect(refusal(pack.subarray(0, length)), String(length)).not.toBeNull();
    }
    expect(refusal(Buffer.concat([pack, Buffer.from("x")]))).not.toBeNull();
  });

  it("when any one byte is another", () => {
    for (let at = 0; at < pack.length; at += 2) {
      const bytes = Buffer.from(pack);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      expect(refusal(bytes), String(at)).not.toBeNull();
    }
  });

  it("whatever bytes it has", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => refusal(bytes) !== null),
      { numRuns: 200 },
    );
    expect(refusal('{"hello":1}\n')).toBe("it is not an export of json-cas");
    expect(refusal(Buffer.alloc(64 * 1024 * 1024, "x"))).toBe("it is not an export of json-cas");
  });

  it("when it is not a regular file", () => {
    const dir = join(temporaryDir(), "folder");
    mkdirSync(dir);
    expect(() => openExport(dir)).toThrow(ExportFileError);
    expect(() => openExport("/dev/zero")).toThrow("not a regular file");
    expect(() => openExport(`${fileOf("")}.absent`)).toThrow("no such file");
  });

  it("when a node is not it, twice there, before what it refers to, or of no schema, and all checksums are right", () => {
    const { type, ada, bob } = world;
    const node = (payload: JsonValue, of: Hash = type): readonly [Hash, Uint8Array] => [
      computeHash(of, payload),
      encodeNode({ type: of, payload, timestamp: AT }),
    ];
    const schemas = [META_SCHEMA_HASH, type].map((hash) => [hash, bytesOf(hash)] as const);
    const made = (...nodes: readonly (readonly [Hash, Uint8Array])[]): string | null =>
      refusal(packed([...schemas, ...nodes]));
    expect(made([ada, bytesOf(ada)])).toBeNull();
    expect(made([ada, node(person("Mallory"))[1]])).toContain("has another hash");
    expect(made([ada, bytesOf(ada)], [ada, bytesOf(ada)])).toContain("appears twice");
    expect(made([bob, bytesOf(bob)], [ada, bytesOf(ada)])).toContain("does not come before it");
    expect(refusal(packed([[ada, bytesOf(ada)]]))).toContain("the type");
    expect(refusal(packed(schemas, [ada]))).toContain("root");
    expect(made(node({ name: 1 }))).toContain("violates its schema");
    expect(made(node({ type: "strin" }, META_SCHEMA_HASH))).toContain("not a valid schema");
    expect(made(node({ $ref: "#/$defs/nowhere" }, META_SCHEMA_HASH))).toContain("not a valid schema");
    expect(made([ada, bytesOf(ada)], node({ name: "x" }, ada))).toContain("cannot be checked");
    for (const bytes of [encode({ a: 1 }), Uint8Array.of(0xff, 0), new Uint8Array(0)])
      expect(made(["0000000000001" as Hash, bytes])).toContain("damaged");
  });
});
