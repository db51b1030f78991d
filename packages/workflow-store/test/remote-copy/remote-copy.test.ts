import { existsSync } from "node:fs";
import { join } from "node:path";
import { builtInTypes, encodeNode, type Hash, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { secondPreimage } from "../../../json-cas/test/support/second-preimage.js";
import {
  addThread,
  advanceHead,
  archiveThread,
  asOnlyWorker,
  claimThread,
  encodedNodes,
  findThread,
  knownTypes,
  makeWorkspace,
  placeThread,
  readChain,
  releaseClaim,
  type Storage,
  storeEncoded,
} from "../../src/index.js";
import { TYPE } from "../../src/nodes.js";
import { addStep, bad, good, startThread, THREAD, tempStorage } from "../support/index.js";

type Head = Parameters<typeof encodedNodes>[1];

/** A thread with steps after its start, in one root; `heads` from the start on. */
async function told(count: number) {
  const storage = tempStorage();
  const heads: Head[] = [(await startThread(storage)).start];
  for (let step = 0; step < count; step += 1)
    heads.push(await addStep(storage, heads.at(-1) as Head, step > 9));
  return { storage, heads };
}

/** The same nodes in another root, as far as a head. */
async function copied(from: Storage, head: Head): Promise<Storage> {
  const storage = tempStorage();
  good(await storeEncoded(storage, good(encodedNodes(from, head, []))));
  return storage;
}

const at = (storage: Storage, head: Head) =>
  placeThread(storage, { thread: THREAD, head, workFolder: "/work" });

describe("nodes between two roots", () => {
  it("are all that a head reaches, in any order, with their times", async () => {
    const { storage, heads } = await told(3);
    const head = heads[3] as Head;
    const nodes = good(encodedNodes(storage, head, []));
    const other = tempStorage();
    expect(good(await storeEncoded(other, [...nodes].reverse()))).toBe(nodes.length);
    expect(good(readChain(other.cas, head))).toEqual(good(readChain(storage.cas, head)));
    for (const { hash } of nodes) expect(other.cas.get(hash as Head)).toEqual(storage.cas.get(hash as Head));
    expect(good(await storeEncoded(other, nodes))).toBe(0);
    expect(knownTypes(other)).toContain(META_SCHEMA_HASH);
    expect(knownTypes(tempStorage())).toEqual([]);
  });

  it("end where the other side has them", async () => {
    const { storage, heads } = await told(2);
    const [start, first, second] = heads as [Head, Head, Head];
    const hashes = good(encodedNodes(storage, second, [first, start])).map(({ hash }) => hash);
    expect(hashes).toContain(second);
    expect(hashes).not.toContain(first);
    expect(good(encodedNodes(storage, second, [second]))).toEqual([]);
  });

  it("whose bytes are another node's are refused, and nothing refers to them", async () => {
    const { storage, heads } = await told(1);
    const head = heads[1] as Head;
    const nodes = good(encodedNodes(storage, head, []));
    const start = nodes.find(({ hash }) => hash === heads[0]);
    const forged = nodes.map((node) =>
      node.hash === head ? { ...node, bytes: start?.bytes ?? node.bytes } : node,
    );
    const other = tempStorage();
    expect(bad(await storeEncoded(other, forged)).code).toBe("NODE_DAMAGED");
    expect(other.cas.has(head)).toBe(false);
    const torn = nodes.map((node) => ({ ...node, bytes: node.bytes.slice(1) }));
    expect(bad(await storeEncoded(tempStorage(), torn)).code).toBe("NODE_DAMAGED");
  });
});

/** Some text, as the node with that hash: its type is there, and the hash is right. */
function forgery(hash: Hash) {
  const payload = secondPreimage(hash, TYPE.content, (text) => ({ text }));
  const bytes = encodeNode({ type: TYPE.content, payload, timestamp: 1_700_000_000_000 });
  return { hash, type: TYPE.content, refs: [TYPE.content], bytes };
}

describe("other content with the hash of a node", () => {
  it("is refused under the hash of each of our types, whether the root has the type or not", async () => {
    expect(Object.values(TYPE).filter((type) => !builtInTypes.has(type))).toEqual([]);
    const { storage } = await told(1);
    for (const type of Object.values(TYPE)) {
      const before = storage.cas.list();
      const fault = bad(await storeEncoded(storage, [forgery(type)]));
      expect(fault, type).toEqual({ code: "HASH_COLLISION", hash: type });
      expect(storage.cas.list()).toEqual(before);
    }
  });

  it("is refused where the root has the node", async () => {
    const { storage, heads } = await told(1);
    const head = heads[1] as Head;
    const before = storage.cas.get(head);
    expect(bad(await storeEncoded(storage, [forgery(head)]))).toEqual({ code: "HASH_COLLISION", hash: head });
    expect(storage.cas.get(head)).toEqual(before);
  });
});

describe("placeThread", () => {
  it("adds a thread, leaves it where it is, and brings it on", async () => {
    const { storage, heads } = await told(2);
    const [start, , second] = heads as [Head, Head, Head];
    const other = await copied(storage, second);
    const placed = { ahead: 0, ended: null, withdrawn: null };
    expect(good(await at(other, start))).toEqual({ ...placed, head: start });
    expect(good(await at(other, start))).toEqual({ ...placed, head: start });
    expect(good(await at(other, second))).toEqual({ ...placed, head: second });
    expect(good(await findThread(other, THREAD))).toMatchObject({ kind: "active", head: second });
  });

  it("says how far it is beyond the remote, active or ended", async () => {
    const { storage, heads } = await told(2);
    const [start, , second] = heads as [Head, Head, Head];
    const other = await copied(storage, second);
    good(await addThread(other, THREAD, second));
    const placed = { head: second, ahead: 2, withdrawn: null };
    expect(good(await at(other, start))).toEqual({ ...placed, ended: null });
    const { workflow } = good(readChain(other.cas, second));
    const line = {
      thread: THREAD,
      workflow: workflow.hash,
      head: second,
      completedAt: 9,
      reason: "end" as const,
    };
    good(await archiveThread(other, line));
    expect(good(await at(other, start))).toEqual({ ...placed, ended: "end" });
    // The remote's history is another one: the thread is active again, where that one stands.
    const fork = await addStep(other, start, true);
    expect(good(await at(other, fork))).toEqual({ head: fork, ahead: 0, ended: null, withdrawn: second });
    expect(good(await findThread(other, THREAD))).toMatchObject({ kind: "active", head: fork });
  });

  it("finds one that ends while it looks", async () => {
    const { storage, heads } = await told(1);
    const [start, first] = heads as [Head, Head];
    const other = await copied(storage, first);
    good(await addThread(other, THREAD, first));
    const { workflow } = good(readChain(other.cas, first));
    const line = { thread: THREAD, workflow: workflow.hash, head: first, completedAt: 9 };
    const [placed, archived] = await Promise.all([
      at(other, start),
      archiveThread(other, { ...line, reason: "end" }),
    ]);
    good(archived);
    expect(good(placed)).toEqual({ head: first, ahead: 1, ended: "end", withdrawn: null });
  });

  it("leaves a thread alone that somebody steps", async () => {
    const { storage, heads } = await told(1);
    const [start, first] = heads as [Head, Head];
    const other = await copied(storage, first);
    good(await at(other, start));
    const claim = good(await claimThread(other, THREAD, { waitMs: 0 }));
    expect(bad(await at(other, first)).code).toBe("THREAD_BUSY");
    good(await advanceHead(other, { thread: THREAD, expected: start, next: first, claim }));
    good(releaseClaim(claim));
    expect(good(await at(other, first))).toMatchObject({ head: first, ahead: 0 });
  });
});

describe("a worker's root", () => {
  it("has folders for threads", async () => {
    const storage = tempStorage();
    expect(good(makeWorkspace(storage, THREAD))).toBe(join(storage.root, "workspaces", THREAD));
    expect(existsSync(join(storage.root, "workspaces", THREAD))).toBe(true);
  });

  it("has one worker at a time", async () => {
    const storage = tempStorage();
    const second = await asOnlyWorker(storage, () =>
      asOnlyWorker(storage, async () => ({ ok: true, value: 1 })),
    );
    expect(bad(second).code).toBe("WORKER_BUSY");
    expect(good(await asOnlyWorker(storage, async () => ({ ok: true, value: 1 })))).toBe(1);
  });
});
