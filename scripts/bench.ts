import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { machine } from "../packages/faults/src/frame.js";
import { buildAgent } from "./bench/agent.js";
import { interleave, type Subject } from "./bench/interleave.js";
import { type BenchReport, type RuntimeReport, tableOf, targetsOf } from "./bench/report.js";
import { findRuntimes, type Runtime } from "./bench/runtimes.js";
import { buildStore, type StoreSpec } from "./bench/store.js";

// `bun run bench`: times whole processes of the built binaries, interleaved with what an empty program costs, and
// prints the five targets of docs/performance.md. A benchmark, never a test: nothing fails because a machine is slow.
//
//   --full      also 100,000 ended threads, 1,000,000 nodes, and Node.js 24 (takes long, needs 5 GB)
//   --runs      timed runs of every command, 15 by default, 21 with --full
//   --only      bun, node20, node24
//   --baseline  the JSON of an earlier run, to compare with
//   --json      write the figures there

const packages = resolve(import.meta.dirname, "../packages");

const text = { type: "string" } as const;
const { values: request } = parseArgs({
  options: { full: { type: "boolean", default: false }, runs: text, only: text, baseline: text, json: text },
});

const PLAIN: StoreSpec = {
  history: 10,
  threads: 1,
  ended: 0,
  nodes: 100,
  expression: "steps[-1].output.ok = true",
};
const WHOLE = "$count(steps[output.ok = true][role = 'worker']) > 0";

/** The step's stores; a ratio is of two that are timed in turn. */
const STORES: Readonly<Record<string, Partial<StoreSpec>>> = {
  "step, history 10": {},
  "step, history 10000": { history: 10_000 },
  "step, history 10, whole": { expression: WHOLE },
  "step, history 10000, whole": { history: 10_000, expression: WHOLE },
};

const LARGE: Readonly<Record<string, Partial<StoreSpec>>> = {
  "step, 10000 threads, 100000 ended": { threads: 10_000, ended: 100_000 },
  "step, 1000000 nodes": { nodes: 1_000_000 },
};

async function measure(runtime: Runtime, scratch: string, agent: string): Promise<RuntimeReport> {
  const folder = join(scratch, runtime.name.replace(" ", "-"));
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  console.error(`${runtime.name}: building stores`);
  const around = { cwd: home, env: { PATH: runtime.folder, HOME: home }, prepare: () => {} };
  const subjects: Subject[] = [
    { name: "empty process", command: runtime.empty, ...around },
    { name: "pair floor", command: runtime.pair, ...around },
  ];
  for (const [name, spec] of Object.entries({ ...STORES, ...(request.full ? LARGE : {}) })) {
    const { root, thread, reset } = await buildStore(join(folder, name), { ...PLAIN, ...spec });
    const uwf = join(packages, "cli-workflow/bin/uwf");
    const env = {
      PATH: `${runtime.folder}:/usr/bin:/bin`,
      HOME: home,
      UWF_RUNTIME: runtime.kind,
      UNCAGED_WORKFLOW_STORAGE_ROOT: root,
    };
    const command = [uwf, "thread", "step", thread, "--agent", `'${agent}'`] as const;
    subjects.push({ name, command, env, cwd: home, prepare: reset });
  }
  // What is left to write of the stores must not be waited for by the first fsyncs that are timed.
  spawnSync("sync");
  console.error(`${runtime.name}: ${subjects.length} commands in turn`);
  const figures = await interleave(subjects, Number(request.runs ?? (request.full ? 21 : 15)));
  rmSync(folder, { recursive: true, force: true });
  const { name, version } = runtime;
  return { runtime: name, version, figures, targets: targetsOf(name, figures) };
}

async function run(scratch: string): Promise<void> {
  const agent = await buildAgent(packages, join(scratch, "agent"));
  const only = request.only?.split(",") ?? null;
  const wanted = ({ name }: Runtime): boolean => only?.includes(name.replace(" ", "")) ?? true;
  const runtimes = findRuntimes(scratch, only?.includes("node24") ?? request.full).filter(wanted);
  const reports: RuntimeReport[] = [];
  for (const runtime of runtimes) reports.push(await measure(runtime, scratch, agent));
  const date = new Date().toISOString().slice(0, 10);
  const size = request.full ? "full" : "quick";
  const report: BenchReport = { date, machine: machine(), size, runtimes: reports };
  const { baseline, json } = request;
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  console.log(tableOf(report, baseline === undefined ? null : JSON.parse(readFileSync(baseline, "utf8"))));
}

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "uwf-bench-")));
try {
  await run(scratch);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
