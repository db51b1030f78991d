import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { authority } from "./authority/authority.js";
import { concurrency } from "./concurrency/concurrency.js";
import { corruption } from "./corruption/corruption.js";
import { crash } from "./crash.js";
import { disk } from "./disk.js";
import { type Kind, type KindReport, machine, type Report, runKind } from "./frame.js";
import { locks } from "./locks/locks.js";
import { power } from "./power/power.js";
import { RUNTIMES } from "./world.js";

// `bun run test:faults`: injects faults for the given time and reports broken promises; a whole run writes docs/reliability.json.

const USAGE = `usage: bun run test:faults [--minutes <n>] [--seed <n>] [--only <kind,…>] [--write | --no-write]
  --minutes  wall time of the whole run, 20 by default
  --seed     repeats the random choices of another run
  --only     some kinds only
  --write    write docs/reliability.json; default for whole runs of 20 minutes`;

const ALL: readonly Kind[] = [crash, power, disk, concurrency, locks, corruption, authority];

/** Kinds that run in parallel: they mostly wait for processes, but more lanes than cores do not help. */
const LANES = 2;

/** The minimum length of a run whose figures are written. */
const FULL_MINUTES = 20;

const text = { type: "string" } as const;
const options = { minutes: text, seed: text, only: text, write: { type: "boolean" } } as const;

function read() {
  const parsed = parseArgs({ options, allowNegative: true }).values;
  const minutes = Number(parsed.minutes ?? FULL_MINUTES);
  const seed = Number(parsed.seed ?? Date.now() % 1_000_000);
  const only = parsed.only?.split(",") ?? null;
  const kinds = ALL.filter(({ name }) => only?.includes(name) ?? true);
  if (!(minutes > 0) || !Number.isSafeInteger(seed) || (only !== null && kinds.length < only.length))
    throw new Error(`a number is wrong, or a kind is none of ${ALL.map(({ name }) => name).join(", ")}`);
  return { minutes, seed, kinds, write: parsed.write ?? (only === null && minutes >= FULL_MINUTES) };
}

function request(): ReturnType<typeof read> {
  try {
    return read();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(2);
  }
}

async function runAll(): Promise<readonly KindReport[]> {
  const waiting = [...kinds].sort((a, b) => b.weight - a.weight);
  const total = waiting.reduce((sum, { weight }) => sum + weight, 0);
  const share = (weight: number): number => (LANES * minutes * 60_000 * weight) / total;
  const reports: KindReport[] = [];
  const lane = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      const deadline = Date.now() + Math.min(share(kind.weight), minutes * 60_000);
      const report = await runKind(kind, seed, { level: "full", deadline });
      console.log(linesOf(report));
      reports.push(report);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return kinds.flatMap(({ name }) => reports.filter((report) => report.name === name));
}

/** One kind's figures and broken promises for a terminal. */
function linesOf({ name, seconds, figures, violations }: KindReport): string {
  const verdict = violations.length === 0 ? "survived" : `${violations.length} BROKEN`;
  const broken = violations.map(
    ({ promise, evidence }) => `  broken: ${promise}\n    ${evidence.replaceAll("\n", "\n    ")}`,
  );
  const shown = Object.entries(figures).map(([figure, value]) => `  ${value} ${figure}`);
  return [`${name} (${seconds} s): ${verdict}`, ...shown, ...broken].join("\n");
}

function versionOf(runtime: string): string {
  const version = spawnSync(runtime, ["--version"], { encoding: "utf8" }).stdout.trim();
  return runtime === "bun" ? `bun ${version}` : `Node.js ${version.replace(/^v/, "")}`;
}

const { minutes, seed, kinds, write } = request();
console.log(`seed ${seed}, ${minutes} minutes`);
const date = new Date().toISOString().slice(0, 10);
const reports = await runAll();
if (write) {
  const runtimes = RUNTIMES.map(versionOf);
  const report: Report = { date, seed, minutes, machine: machine(), runtimes, kinds: reports };
  const repository = resolve(import.meta.dirname, "../../..");
  // The report must not show the path of this checkout.
  const document = JSON.stringify(report, null, 2).replaceAll(`${repository}/`, "");
  writeFileSync(resolve(repository, "docs/reliability.json"), `${document}\n`);
}
const broken = reports.reduce((sum, { violations }) => sum + violations.length, 0);
console.log(broken === 0 ? "every promise held" : `${broken} broken promises, see above`);
process.exit(broken === 0 ? 0 : 1);
