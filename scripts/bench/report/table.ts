import type { Figures } from "../measure/index.js";
import type { Target } from "../targets.js";
import type { BenchReport, RuntimeReport } from "./types.js";

/** The figures and targets of a run as Markdown, beside those of an earlier one. */
export function tableOf(report: BenchReport, baseline: BenchReport | null): string {
  const { date, machine, size, runtimes } = report;
  const head = `${size} run of ${date} on ${machine}`;
  return [head, ...runtimes.map((one) => sectionOf(one, baseline))].join("\n\n");
}

function sectionOf(
  { runtime, version, figures, targets }: RuntimeReport,
  baseline: BenchReport | null,
): string {
  const before = baseline?.runtimes.find((one) => one.runtime === runtime);
  const was = (name: string): string => {
    const found = before?.figures.find((one) => one.name === name);
    return found === undefined ? "" : ` ${ms(found.medianMs)} |`;
  };
  const extra = before === undefined ? "" : " median before |";
  return [
    `## ${runtime} (${version})`,
    "",
    "| target | measured | limit | |",
    "|---|---|---|---|",
    ...targets.map(targetRow),
    "",
    `| whole process | median | min | max | runs | peak memory |${extra}`,
    `|---|---|---|---|---|---|${before === undefined ? "" : "---|"}`,
    ...figures.map((one) => `${figureRow(one)}${before === undefined ? "" : was(one.name)}`),
  ].join("\n");
}

function targetRow({ name, unit, measured, limit }: Target): string {
  const value = measured === null ? "" : `${measured.toFixed(2)} ${unit}`;
  const verdict = measured === null || limit === null ? "" : measured <= limit ? "met" : "missed";
  return `| ${name} | ${value} | ${limit === null ? "" : `≤ ${limit}`} | ${verdict} |`;
}

function figureRow({ name, medianMs, minMs, maxMs, runs, peakMb }: Figures): string {
  const memory = peakMb === null ? "" : `${peakMb.toFixed(0)} MB`;
  return `| ${name} | ${ms(medianMs)} | ${ms(minMs)} | ${ms(maxMs)} | ${runs} | ${memory} |`;
}

function ms(value: number): string {
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(1)} ms`;
}
