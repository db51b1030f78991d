import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CasNode, computeHash, encodeNode, type Hash } from "@uncaged/json-cas";
import { fsStoreFile } from "@uncaged/json-cas-fs";
import { TYPE } from "@uncaged/workflow-store";

/** Writes nodes and their index lines into a store's folder, as the store would, but nothing is synced. */
export function writeNodes(dir: string, nodes: Iterable<readonly [Hash, CasNode | null]>): void {
  mkdirSync(join(dir, "_index"), { recursive: true });
  const lines = new Map<Hash, string[]>();
  for (const [hash, node] of nodes) {
    if (node === null) continue;
    writeFileSync(fsStoreFile(dir, hash), encodeNode(node));
    lines.set(node.type, lines.get(node.type) ?? []);
    lines.get(node.type)?.push(`${hash}\n`);
  }
  for (const [type, hashes] of lines)
    writeFileSync(join(dir, "_index", type), hashes.join(""), { flag: "a" });
}

/** Epoch ms, of nodes that are as those of today. */
const BEGAN = Date.UTC(2026, 0);

/** So many nodes that nothing refers to. */
export function* filler(count: number): Generator<readonly [Hash, CasNode]> {
  for (let index = 0; index < count; index += 1) {
    const payload = { text: `filler ${index}` };
    yield [computeHash(TYPE.content, payload), { type: TYPE.content, payload, timestamp: BEGAN + index }];
  }
}
