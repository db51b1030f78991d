import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../src/index.js";

const DOCS = join(import.meta.dirname, "../../../docs");

const UNITS: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, levels: 1 };

/** The sizes that a document names where the pattern is, in bytes or levels. */
function sizesAt(file: string, pattern: RegExp): readonly number[] {
  const text = readFileSync(join(DOCS, file), "utf8");
  const line = text.split("\n").find((each) => pattern.test(each)) ?? "";
  const after = line.slice(line.search(pattern));
  return [...after.matchAll(/(\d+) (KiB|MiB|levels)/g)].map(
    ([, count, unit]) => Number(count) * (UNITS[unit ?? ""] ?? Number.NaN),
  );
}

describe("the limits of what is read", () => {
  it.each([
    ["storage-format.md", /^\| `config.yaml`, `.env`, a workflow file/, [LIMITS.config]],
    ["storage-format.md", /^\| `config.yaml`, `.env`, a workflow file/, [LIMITS.workflowFile]],
    ["storage-format.md", /^\| a node; JSON on stdin/, [LIMITS.node, LIMITS.depth]],
    ["storage-format.md", /^\| a file stored as a node/, [LIMITS.file, LIMITS.filesOfStep]],
    ["storage-format.md", /^\| a reply, /, [LIMITS.reply]],
    ["storage-format.md", /^\| a prompt /, [LIMITS.prompt]],
    // Where a file is cut is part of the format: cut elsewhere, it would get another hash.
    ["storage-format.md", /Over \d+ MiB: a second type/, [LIMITS.fileInOneNode]],
    ["storage-format.md", /`data` \(base64\): \d+ MiB of a large file/, [LIMITS.fileChunk]],
    ["agent-protocol.md", /reads only the last \d+ KiB/, [LIMITS.agentStdoutTail]],
    ["agent-protocol.md", /Limits: a node/, [LIMITS.node, LIMITS.reply, LIMITS.prompt]],
  ])("are those of %s: %s", (file, pattern, limits) => {
    expect(sizesAt(file, pattern)).toEqual(limits);
  });
});
