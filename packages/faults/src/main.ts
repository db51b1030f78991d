import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type FaultsRequest, readArguments, USAGE } from "./arguments.js";
import { type KindReport, type Report, runKind } from "./frame.js";
import { KINDS } from "./kinds.js";
import { linesOf, machine, runtimes } from "./report.js";

// `bun run test:faults`: injects faults for the given time, reports broken promises, and writes the figures to
// docs/reliability.json.

const docs = resolve(import.meta.dirname, "../../../docs");

/** Kinds that run in parallel: they mostly wait for processes, but more lanes than cores do not help. */
const LANES = 2;

async function runAll(request: FaultsRequest): Promise<readonly KindReport[]> {
  const kinds = KINDS.filter(({ name }) => request.only === null || request.only.includes(name));
  const waiting = [...kinds].sort((a, b) => b.weight - a.weight);
  const total = waiting.reduce((sum, { weight }) => sum + weight, 0);
  const share = (weight: number): number => (LANES * request.minutes * 60_000 * weight) / total;
  const reports: KindReport[] = [];
  const lane = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      const deadline = Date.now() + Math.min(share(kind.weight), request.minutes * 60_000);
      const report = await runKind(kind, request.seed, { level: "full", deadline });
      console.log(linesOf(report));
      reports.push(report);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return kinds.flatMap(({ name }) => reports.filter((report) => report.name === name));
}

const request = readArguments(process.argv.slice(2), KINDS);
if (request.kind === "usage") {
  console.error(`${request.reason}\n${USAGE}`);
  process.exit(2);
}
const { minutes, seed } = request;
console.log(`seed ${seed}, ${minutes} minutes`);
const date = new Date().toISOString().slice(0, 10);
const kinds = await runAll(request);
const report: Report = { date, seed, minutes, machine: machine(), runtimes: runtimes(), kinds };
if (request.write) {
  // The report must not show the path of this checkout.
  const text = JSON.stringify(report, null, 2).replaceAll(`${resolve(docs, "..")}/`, "");
  writeFileSync(resolve(docs, "reliability.json"), `${text}\n`);
}
const broken = kinds.reduce((sum, { violations }) => sum + violations.length, 0);
console.log(broken === 0 ? "every promise held" : `${broken} broken promises, see above`);
process.exit(broken === 0 ? 0 : 1);
