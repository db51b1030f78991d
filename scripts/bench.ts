import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { machine } from "../packages/faults/src/report.js";
import { buildAgent } from "./bench/agent/index.js";
import { type BenchRequest, readArguments, USAGE } from "./bench/arguments.js";
import { type Figures, interleave } from "./bench/measure/index.js";
import { planOf } from "./bench/plan.js";
import { type BenchReport, type RuntimeReport, tableOf } from "./bench/report/index.js";
import { findRuntimes, type Runtime } from "./bench/runtimes.js";
import { targetsOf } from "./bench/targets.js";

// `bun run bench`: times whole processes of the built binaries, interleaved with what an empty program costs, and
// prints the figures beside the targets. A benchmark, never a test: nothing fails because a machine is slow.

const packages = resolve(import.meta.dirname, "../packages");

async function measure(
  runtime: Runtime,
  request: BenchRequest,
  scratch: string,
  agent: string,
): Promise<RuntimeReport> {
  const folder = join(scratch, runtime.name.replace(" ", "-"));
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  console.error(`${runtime.name}: building stores`);
  const { batches, disk } = await planOf(
    { runtime, packages, agent, home },
    folder,
    request.full,
    request.runs,
  );
  // What is left to write of the stores must not be waited for by the first fsyncs that are timed.
  spawnSync("sync");
  const figures = new Map<string, Figures>();
  for (const { subjects, rounds } of batches) {
    console.error(`${runtime.name}: ${rounds} rounds of ${subjects.length} commands`);
    for (const one of await interleave(subjects, rounds))
      if (!figures.has(one.name)) figures.set(one.name, one);
  }
  rmSync(folder, { recursive: true, force: true });
  const { name, version } = runtime;
  return { runtime: name, version, figures: [...figures.values()], targets: targetsOf(name, figures, disk) };
}

async function run(request: BenchRequest, scratch: string): Promise<void> {
  const agent = await buildAgent(packages, join(scratch, "agent"));
  const wanted = (name: string): boolean => request.only?.includes(name.replace(" ", "")) ?? true;
  const withNode24 = request.only?.includes("node24") ?? request.full;
  const runtimes = findRuntimes(scratch, withNode24).filter(({ name }) => wanted(name));
  const reports: RuntimeReport[] = [];
  for (const runtime of runtimes) reports.push(await measure(runtime, request, scratch, agent));
  const date = new Date().toISOString().slice(0, 10);
  const size = request.full ? "full" : "quick";
  const report: BenchReport = { date, machine: machine(), size, runtimes: reports };
  const baseline = request.baseline === null ? null : JSON.parse(readFileSync(request.baseline, "utf8"));
  if (request.json !== null) writeFileSync(request.json, `${JSON.stringify(report, null, 2)}\n`);
  console.log(tableOf(report, baseline));
}

const request = readArguments(process.argv.slice(2));
if (request.kind === "usage") {
  console.error(`${request.reason}\n${USAGE}`);
  process.exit(2);
}
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "uwf-bench-")));
try {
  await run(request, scratch);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
