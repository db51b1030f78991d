import {
  type CasNode,
  createMemoryStore,
  DecodeError,
  decodeNode,
  encodeNode,
  parseHash,
} from "@uncaged/json-cas";
import { ensureTypes, putContent } from "@uncaged/workflow-store";
import fc from "fast-check";
import { anyJson, mutatedBytes } from "../texts/index.js";
import { batchOf } from "./batch.js";
import { cborItem } from "./cbor.js";
import type { Subject } from "./types.js";

/** Bytes in the place of a node: they are one, in its only form, or they are refused. */
export const nodes: Subject = {
  name: "node bytes",
  sample: 2_000,
  batch: 10_000,
  weight: 2,
  open: async ({ slowMs }) => batchOf(inputsFrom(await realNodes()), slowMs, readNode),
};

async function realNodes(): Promise<readonly Uint8Array[]> {
  const store = createMemoryStore();
  await ensureTypes(store);
  await putContent(store, "a text");
  return store.list().map((hash) => encodeNode(store.get(hash) as CasNode));
}

function inputsFrom(real: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const payload = fc.oneof(
    cborItem,
    anyJson.map((value) => encodedPayload(value)),
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...real).chain((node) => mutatedBytes(node, cborItem)) },
    { weight: 3, arbitrary: fc.tuple(payload, cborItem).map(([value, time]) => shapedLikeNode(value, time)) },
    { weight: 1, arbitrary: cborItem },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constantFrom(...DEEP) },
  );
}

/** Nested far beyond any limit, and lengths that nobody has the memory for. */
const DEEP: readonly [Uint8Array, ...Uint8Array[]] = [
  new Uint8Array(1_000_000).fill(0x81),
  new Uint8Array(1_000_000).fill(0xa1),
  new Uint8Array(1_000_000).fill(0xc1),
  new Uint8Array(1_000_000).fill(0x9f),
  Uint8Array.of(0x9b, 0x7f, ...new Uint8Array(7).fill(0xff)),
  Uint8Array.of(0xbb, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff),
  Uint8Array.of(0x5b, 0, 0, 0, 1, 0, 0, 0, 0),
  Uint8Array.of(0x7b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff),
  Uint8Array.of(0x9a, 0xff, 0xff, 0xff, 0xff),
];

const text = (word: string): Uint8Array => Uint8Array.of(0x60 + word.length, ...Buffer.from(word));

function shapedLikeNode(payload: Uint8Array, timestamp: Uint8Array): Uint8Array {
  const parts = [
    Uint8Array.of(0xa3),
    text("type"),
    text("0123456789ABC"),
    text("payload"),
    payload,
    text("timestamp"),
  ];
  return new Uint8Array(Buffer.concat([...parts, timestamp]));
}

function encodedPayload(payload: CasNode["payload"]): Uint8Array {
  const type = parseHash("0123456789ABC");
  if (type === null) throw new Error("no hash");
  try {
    return encodeNode({ type, payload, timestamp: 1 });
  } catch {
    return new Uint8Array();
  }
}

function readNode(bytes: Uint8Array): void {
  let node: CasNode;
  try {
    node = decodeNode(bytes);
  } catch (error) {
    if (error instanceof DecodeError && error.message !== "") return;
    throw error;
  }
  if (Buffer.compare(encodeNode(node), bytes) !== 0)
    throw new Error("bytes were taken that are not the node's one form");
}
