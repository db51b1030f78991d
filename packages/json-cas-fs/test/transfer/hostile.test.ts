import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { computeHash, encode, encodeNode, type Hash, META_SCHEMA_HASH } from "@uncaged/json-cas";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ExportFileError, openExport } from "../../src/index.js";
import { packOutput } from "../../src/pack/index.js";
import { skipFsync } from "../support/no-fsync.js";
import { person } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";
import {
  exported,
  exportedAsLines,
  fileOf,
  forged,
  friends,
  type Lines,
  lineOf,
  refusal,
} from "./support.js";

skipFsync();

let text = "";
let pack: Buffer;
let bytesOf: (hash: Hash) => Uint8Array;
let world: Awaited<ReturnType<typeof friends>>;

beforeAll(async () => {
  world = await friends();
  text = await exportedAsLines(world.dir, [world.cy], [{ name: "an entry" }]);
  pack = exported(world.dir, [world.cy], [{ name: "an entry" }]);
  const bytes = new Map(world.store.list().map((hash) => [hash, encodeNode(world.store.get(hash)!)]));
  bytesOf = (hash) => bytes.get(hash) ?? new Uint8Array();
});

function forgery(change: (lines: Lines) => void): string | null {
  return refusal(forged(text, change));
}

/** Adds a node whose checksums are right. */
function withNode(hash: string, bytes: Uint8Array): string | null {
  return forgery((lines) => {
    lines.header = { ...lines.header, nodes: lines.nodes.length + 1 };
    lines.nodes.push(lineOf(hash, bytes));
  });
}

const AT = 1_700_000_000_000;

describe("a file of lines that is not what an export of before wrote is refused", () => {
  it("but not one that is", () => {
    expect(refusal(text)).toBeNull();
    expect(forgery(() => {})).toBeNull();
  });

  it("when it is cut short, anywhere", () => {
    for (let length = 0; length < text.length; length += 7) {
      expect(refusal(text.slice(0, length)), String(length)).not.toBeNull();
    }
  });

  it("when any one byte is another", { timeout: 60_000 }, () => {
    for (let at = 0; at < text.length; at += 5) {
      const bytes = Buffer.from(text);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      expect(refusal(bytes), String(at)).not.toBeNull();
    }
  });

  it("whatever bytes it has", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => refusal(bytes) !== null),
      { numRuns: 200 },
    );
    const line = fc.constantFrom(...text.split("\n"));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const shuffled = lines.map((one) => `${one}\n`).join("");
        return shuffled === text || refusal(shuffled) !== null;
      }),
      { numRuns: 200 },
    );
  });

  it("when it is of another program or a later version", () => {
    expect(refusal('{"hello":1}\n')).toBe("it is not an export of json-cas");
    expect(
      forgery((lines) => {
        lines.header = { ...lines.header, version: 2 };
      }),
    ).toBe("it has version 2; this version reads 1");
  });

  it("when its counts are wrong, or something follows", () => {
    expect(
      forgery((lines) => {
        lines.header = { ...lines.header, nodes: 4 };
      }),
    ).toContain("its header says 4");
    expect(
      forgery((lines) => {
        lines.header = { ...lines.header, entries: 7 };
      }),
    ).not.toBeNull();
    expect(
      forgery((lines) => {
        lines.header = { ...lines.header, nodes: -1 };
      }),
    ).toContain("malformed");
    expect(refusal(`${text}{}\n`)).toContain("follows the end");
  });

  it("when a node appears twice, is missing, or comes before what it refers to", () => {
    const count = (lines: Lines): void => {
      lines.header = { ...lines.header, nodes: lines.nodes.length };
    };
    expect(
      forgery((lines) => {
        lines.nodes.push(lines.nodes.at(-1) ?? "");
        count(lines);
      }),
    ).toContain("twice");
    expect(
      forgery((lines) => {
        lines.nodes.splice(2, 1);
        count(lines);
      }),
    ).toContain("does not come before it");
    expect(
      forgery((lines) => {
        lines.nodes.splice(1, 1);
        count(lines);
      }),
    ).toContain("the type");
    expect(
      forgery((lines) => {
        lines.nodes.reverse();
      }),
    ).toContain("does not come before it");
    expect(
      forgery((lines) => {
        lines.nodes.pop();
        count(lines);
      }),
    ).toContain("root");
  });

  it("when a checksum is right and the hash is not", () => {
    const { type, ada } = world;
    const other = encodeNode({ type, payload: person("Mallory"), timestamp: AT });
    expect(withNode("0000000000001", other)).toContain("has another hash");
    expect(
      forgery((lines) => {
        lines.nodes = lines.nodes.map((line) => (line.includes(ada) ? lineOf(ada, other) : line));
      }),
    ).toContain("has another hash");
  });

  it("when a node violates its schema, or has none", () => {
    const { type, ada } = world;
    const node = (of: Hash, payload: Parameters<typeof computeHash>[1]) =>
      withNode(computeHash(of, payload), encodeNode({ type: of, payload, timestamp: AT }));
    expect(node(type, { name: 1 })).toContain("violates its schema");
    expect(node(META_SCHEMA_HASH, { type: "strin" })).toContain("not a valid schema");
    expect(node(META_SCHEMA_HASH, { $ref: "#/$defs/nowhere" })).toContain("not a valid schema");
    expect(node(ada, { name: "x" })).toContain("cannot be checked");
    expect(node("0000000000001" as Hash, 1)).toContain("the type 0000000000001");
  });

  it("when a node's bytes are no node", () => {
    expect(withNode("0000000000001", encode({ a: 1 }))).toContain("damaged");
    expect(withNode("0000000000001", Uint8Array.of(0xff, 0))).toContain("damaged");
    expect(withNode("0000000000001", new Uint8Array(0))).toContain("damaged");
  });

  it("when a hash is a path, or a line has another form than the one there is", () => {
    for (const hash of ["../../../etc/p", "/etc/passwd00", "0000000000001/", "64kb4t4a9ckts"]) {
      expect(withNode(hash, encode(1)), hash).toContain("not a node of an export");
    }
    const respaced = (line: string): string => line.replace('","node"', '", "node"');
    expect(
      forgery((lines) => {
        lines.nodes = lines.nodes.map(respaced);
      }),
    ).toContain("not a node of");
    expect(
      forgery((lines) => {
        lines.entries = ['{"entry": {}}'];
      }),
    ).toContain("not an entry of");
    expect(
      forgery((lines) => {
        lines.entries = ['{"entry":[1]}'];
      }),
    ).toContain("not an entry of");
  });

  it("when a line exceeds the limit, before it is in memory", () => {
    const long = Buffer.concat([Buffer.from(text.split("\n")[0] ?? ""), Buffer.alloc(5 * 1024 * 1024, "x")]);
    expect(refusal(long)).not.toBeNull();
    const endless = Buffer.alloc(64 * 1024 * 1024, "x");
    const before = process.memoryUsage().rss;
    expect(refusal(endless)).toContain("longer than");
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it("when it is not a regular file", () => {
    const dir = join(temporaryDir(), "folder");
    mkdirSync(dir);
    expect(() => openExport(dir)).toThrow(ExportFileError);
    expect(() => openExport("/dev/zero")).toThrow("not a regular file");
    expect(() => openExport(`${fileOf("")}.absent`)).toThrow("no such file");
  });
});

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

  it("when a node is not it, twice there, before what it refers to, or of no schema, and all checksums are right", () => {
    const { type, ada, bob } = world;
    const other = encodeNode({ type, payload: person("Mallory"), timestamp: AT });
    const bad = encodeNode({ type, payload: { name: 1 }, timestamp: AT });
    const schemas = [META_SCHEMA_HASH, type].map((hash) => [hash, bytesOf(hash)] as const);
    const made = (...nodes: readonly (readonly [Hash, Uint8Array])[]): string | null => {
      const pieces: Buffer[] = [];
      const output = packOutput((piece) => pieces.push(Buffer.from(piece)));
      for (const [hash, content] of nodes) output.add(hash, content);
      output.end([], []);
      return refusal(Buffer.concat(pieces));
    };
    expect(made(...schemas, [ada, bytesOf(ada)])).toBeNull();
    expect(made(...schemas, [ada, other])).toContain("has another hash");
    expect(made(...schemas, [ada, bytesOf(ada)], [ada, bytesOf(ada)])).toContain("appears twice");
    expect(made(...schemas, [bob, bytesOf(bob)], [ada, bytesOf(ada)])).toContain("does not come before it");
    expect(made([ada, bytesOf(ada)])).toContain("the type");
    expect(made(...schemas, [computeHash(type, { name: 1 }), bad])).toContain("violates its schema");
  });
});
