import { createMemoryStore, type Store } from "@uncaged/json-cas";
import { LIMITS } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { newFile, putFile, putNode, readStoredFile, TYPE } from "../../src/index.js";
import { bad, good } from "../support/index.js";

/** One byte more than fits into one node, each piece different. */
function large(): Buffer {
  const bytes = Buffer.alloc(LIMITS.fileInOneNode + 1);
  for (let at = 0; at < bytes.length; at += LIMITS.fileChunk) bytes.writeUInt8(1 + at / LIMITS.fileChunk, at);
  return bytes;
}

describe("a stored file", () => {
  it("is one node up to 16 MiB, and is read with its name and media type", async () => {
    const store = createMemoryStore();
    const file = newFile("out/report.docx", Buffer.from([80, 75, 0]), null);
    expect(file.nodes.map(({ type }) => type)).toEqual([TYPE.file]);
    expect(await putFile(store, file)).toBe(file.hash);
    expect(good(readStoredFile(store, file.hash))).toEqual({
      name: "report.docx",
      mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      bytes: Buffer.from([80, 75, 0]),
    });
  });

  it("is in chunks of 4 MiB above that, and is read as a whole", async () => {
    const store = createMemoryStore();
    const bytes = large();
    const file = newFile("large.bin", bytes, null);
    const types = file.nodes.map(({ type }) => type);
    expect(types).toEqual([...Array.from({ length: 5 }, () => TYPE.fileChunk), TYPE.chunkedFile]);
    await putFile(store, file);
    expect(good(readStoredFile(store, file.hash)).bytes.equals(bytes)).toBe(true);
  });

  it("is not given if a chunk is missing, is of another type, or the sum is another one", async () => {
    const store = createMemoryStore();
    const file = newFile("large.bin", large(), null);
    await putFile(store, file);
    const payload = file.nodes.at(-1)?.payload ?? {};
    const chunks = payload.chunks as readonly string[];
    const without: Store = { ...store, get: (hash) => (hash === chunks[0] ? null : store.get(hash)) };
    expect(bad(readStoredFile(without, file.hash))).toMatchObject({ code: "NODE_MISSING", hash: chunks[0] });
    const text = await putNode(store, "content", { text: "words" });
    const put = (changed: readonly (string | undefined)[]) =>
      store.put(TYPE.chunkedFile, { ...payload, chunks: changed } as never);
    expect(bad(readStoredFile(store, await put([text])))).toMatchObject({ code: "WRONG_NODE_TYPE" });
    const swapped = await put([chunks[1], chunks[0], ...chunks.slice(2)]);
    expect(bad(readStoredFile(store, swapped))).toMatchObject({ code: "NODE_DAMAGED" });
  });

  it("is asked for by a hash, and nothing else is a file", async () => {
    const store = createMemoryStore();
    expect(bad(readStoredFile(store, "./report.docx"))).toMatchObject({ code: "INVALID_INPUT" });
    expect(bad(readStoredFile(store, await putNode(store, "content", { text: "x" })))).toMatchObject({
      code: "WRONG_NODE_TYPE",
    });
  });
});
