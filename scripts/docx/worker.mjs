import { readFileSync } from "node:fs";
import {
  diffDocuments,
  editDocument,
  openDocument,
  outlineOf,
  saveDocument,
} from "../../packages/workflow-docx/dist/index.js";

// One job in a process of its own; prints what it found, its milliseconds without those of Node's start, and its peak memory.

const [job, ...files] = process.argv.slice(2);

const opened = (file) => {
  const result = openDocument(readFileSync(file));
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
};

const saved = (result) => {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return `${saveDocument(result.value).length} bytes`;
};

const jobs = {
  empty: () => [],
  open: () => {
    const result = openDocument(readFileSync(files[0]));
    return [result.ok ? "opened" : result.error.code];
  },
  diff: () => {
    const difference = diffDocuments(opened(files[0]), opened(files[1]), { author: "uwf", date: null });
    return [`${difference.changes.length} changes`, saved(difference.tracked)];
  },
  edit: () => {
    const document = opened(files[0]);
    const edits = outlineOf(document)
      .blocks.slice(0, 2000)
      .map(({ block, text }) => {
        return {
          op: "replaceText",
          block,
          expect: `${text.slice(0, 30)}…`,
          find: text.slice(0, 40),
          text: "other words",
        };
      });
    return [saved(editDocument(document, edits))];
  },
};

const start = performance.now();
const lines = jobs[job]();
const ms = performance.now() - start;
// Not that of `process.resourceUsage`, which counts what the process was before it became Node.
const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"));
process.stdout.write(JSON.stringify({ lines, ms, mb: Number(kilobytes) / 1024 }));
