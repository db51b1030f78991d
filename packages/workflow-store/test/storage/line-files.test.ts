import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import {
  addKeyedThread,
  logDays,
  readFamily,
  readLogDay,
  readParents,
  readRegistryHistory,
  readSpent,
  type Storage,
} from "../../src/index.js";
import { bad, good, HASH_A, startThread, THREAD, tempStorage, threadAt } from "../support/index.js";

/** A line of JSON in which the letters `??` of a text are bytes of no text. */
function withBadBytes(line: object): Buffer {
  const text = JSON.stringify(line);
  const bytes = Buffer.from(text);
  bytes.fill(0xff, text.indexOf("??"), text.indexOf("??") + 2);
  return bytes;
}

function put(file: string, bytes: Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, Buffer.concat([bytes, Buffer.from("\n")]));
}

const CHILD = { child: threadAt(2), parent: THREAD, head: HASH_A, role: "de??", item: null, at: 1 };

type Read = (storage: Storage) => Result<unknown, Fault>;

describe("a line with bytes that are no UTF-8 text", () => {
  it.each<[string, (storage: Storage) => string, object, Read]>([
    ["children.jsonl", ({ paths }) => paths.children, CHILD, readFamily],
    ["children.jsonl", ({ paths }) => paths.children, CHILD, (storage) => readParents(storage, threadAt(2))],
    [
      "registry-history.jsonl",
      ({ paths }) => paths.registryHistory,
      { name: "a", hash: null, previous: null, source: null, at: 1, by: "??" },
      readRegistryHistory,
    ],
    [
      "spent.jsonl",
      ({ paths }) => `${paths.runs}/${THREAD}/spent.jsonl`,
      { run: "??", steps: 1, ms: 1, costUsd: 1, unknownCost: 0 },
      (storage) => readSpent(storage, THREAD),
    ],
  ])("is damage of %s", (_name, fileOf, line, read) => {
    const storage = tempStorage();
    const file = fileOf(storage);
    put(file, withBadBytes(line));
    expect(bad(read(storage))).toMatchObject({ code: "STORE_DAMAGED", file });
  });

  it("is a torn one at the end of a file: the next line takes its place", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const { children } = storage.paths;
    writeFileSync(children, withBadBytes({ ...CHILD, head: start }));
    const of = { parent: THREAD, head: start, role: "developer", item: null };
    const keyed = { key: "k", of, limits: null, start, folder: "/", maxDepth: 3 };
    const { thread } = good(await addKeyedThread(storage, keyed));
    expect(readFileSync(children, "utf8").match(/"child":"[^"]*"/g)).toEqual([`"child":"${thread}"`]);
    expect(
      good(readFamily(storage))
        .childrenOf(THREAD)
        .map(({ child }) => child),
    ).toEqual([thread]);
  });

  it("is none of the log's", () => {
    const storage = tempStorage();
    const file = `${storage.paths.logs}/2026-01-31.jsonl`;
    put(file, withBadBytes({ tag: "4KNMR2PX", content: "??", timestamp: 1 }));
    appendFileSync(file, `${JSON.stringify({ tag: "4KNMR2PX", content: "a", timestamp: 2 })}\n`);
    const [day] = good(logDays(storage, null));
    const entries = day === undefined ? [] : [...readLogDay(day, { since: null, thread: null })];
    expect(entries.map((entry) => entry?.content ?? null)).toEqual([null, "a"]);
  });
});
