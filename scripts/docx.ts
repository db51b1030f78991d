import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BAD } from "../packages/workflow-docx/test/support/bad.js";
import { longDocuments } from "./docx/long.js";

// `bun scripts/docx.ts`: what Word documents cost on Node.js, each in a process of its own: a long one compared and edited,
// and every file of the bad corpus. A benchmark, never a test.

type Measured = { readonly lines: readonly string[]; readonly ms: number; readonly mb: number };

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "uwf-docx-")));
const worker = join(scratch, "worker.mjs");

function build(): void {
  const source = resolve(import.meta.dirname, "docx/worker.ts");
  const flags = ["--target=node", "--conditions=uwf-source", "--external=docxtemplater", "--external=pizzip"];
  const { status, stderr } = spawnSync("bun", ["build", source, `--outfile=${worker}`, ...flags], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}

function measure(...words: readonly string[]): Measured {
  const { stdout, status, stderr } = spawnSync("node", [worker, ...words], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Measured;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** Medians of seven. */
function row(name: string, ...words: readonly string[]): void {
  const runs = Array.from({ length: 7 }, () => measure(...words));
  const [ms, mb] = [median(runs.map((run) => run.ms)), median(runs.map((run) => run.mb))];
  console.log(`${name}: ${(ms / 1000).toFixed(2)} s, ${mb.toFixed(0)} MB, ${runs[0]?.lines.join(", ")}`);
}

try {
  build();
  for (const [name, headings] of [
    ["with every second heading kept", true],
    ["with nothing kept", false],
  ] as const) {
    const folder = join(scratch, String(headings));
    mkdirSync(folder);
    const { old, now } = longDocuments(5000, headings);
    writeFileSync(join(folder, "old.docx"), old);
    writeFileSync(join(folder, "new.docx"), now);
    row(`5,000 paragraphs compared, ${name}`, "diff", join(folder, "old.docx"), join(folder, "new.docx"));
    if (headings) row("5,000 paragraphs, 2,000 of them edited", "edit", join(folder, "old.docx"));
  }
  const empty = measure("empty");
  const bad = BAD.map(({ name, code, bytes }) => {
    const file = join(scratch, "bad.docx");
    writeFileSync(file, bytes());
    const found = measure("open", file);
    if (found.lines[0] !== code) throw new Error(`${name}: ${found.lines[0]}`);
    return { name, ms: found.ms, mb: found.mb - empty.mb };
  });
  const slowest = bad.reduce((most, one) => (one.ms > most.ms ? one : most));
  const largest = bad.reduce((most, one) => (one.mb > most.mb ? one : most));
  console.log(`${bad.length} bad files, beyond an empty process of ${empty.mb.toFixed(0)} MB:`);
  console.log(
    `slowest: ${slowest.ms.toFixed(0)} ms, ${slowest.name}; median ${median(bad.map(({ ms }) => ms)).toFixed(0)} ms`,
  );
  console.log(
    `largest: ${largest.mb.toFixed(0)} MB, ${largest.name}; median ${median(bad.map(({ mb }) => mb)).toFixed(0)} MB`,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
