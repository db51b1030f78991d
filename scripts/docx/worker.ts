import { readFileSync } from "node:fs";
import type { Result } from "../../packages/json-schema/src/index.js";
import {
  type Document,
  diffDocuments,
  editDocument,
  openDocument,
  outlineOf,
  saveDocument,
} from "../../packages/workflow-docx/src/index.js";

// One job in a process of its own; prints what it found, its milliseconds without those of Node's start, and its peak
// memory.

const [job, first = "", second = ""] = process.argv.slice(2);

function opened(file: string): Document {
  const result = openDocument(readFileSync(file));
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
}

function saved(result: Result<Document, unknown>): string {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return `${saveDocument(result.value).length} bytes`;
}

const jobs: Readonly<Record<string, () => readonly string[]>> = {
  empty: () => [],
  open: () => {
    const result = openDocument(readFileSync(first));
    return [result.ok ? "opened" : result.error.code];
  },
  diff: () => {
    const difference = diffDocuments(opened(first), opened(second), { author: "uwf", date: null });
    return [`${difference.changes.length} changes`, saved(difference.tracked)];
  },
  edit: () => {
    const document = opened(first);
    const edits = outlineOf(document)
      .blocks.slice(0, 2000)
      .map(({ block, text }) => {
        const [expect, find] = [`${text.slice(0, 30)}\u2026`, text.slice(0, 40)];
        return { op: "replaceText", block, expect, find, text: "other words" };
      });
    return [saved(editDocument(document, edits))];
  },
};

const start = performance.now();
const lines = jobs[job ?? ""]?.() ?? [];
const ms = performance.now() - start;
// Not that of `process.resourceUsage`, which counts what the process was before it became Node.
const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
process.stdout.write(JSON.stringify({ lines, ms, mb: Number(kilobytes) / 1024 }));
