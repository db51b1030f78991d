import type { Figures } from "./interleave.js";
import type { RuntimeName } from "./runtimes.js";

export type RuntimeReport = {
  readonly runtime: RuntimeName;
  readonly version: string;
  readonly figures: readonly Figures[];
  readonly targets: readonly Target[];
};

export type BenchReport = {
  /** ISO day. */
  readonly date: string;
  readonly machine: string;
  readonly size: "quick" | "full";
  readonly runtimes: readonly RuntimeReport[];
};

/** One line of the table of targets. */
export type Target = {
  readonly name: string;
  readonly unit: "×" | "MB";
  readonly measured: number;
  /** It should not be more; `null` where nothing was promised. */
  readonly limit: number | null;
};

type Limits = Readonly<Partial<Record<RuntimeName, number>>>;

const all = (limit: number): Limits => ({ bun: limit, "node 20": limit, "node 24": limit });

/** What is divided by what, and the limits of docs/performance.md. */
const RATIOS: readonly (readonly [name: string, subject: string, beside: string, limits: Limits])[] = [
  ["step ÷ pair floor", "step, history 10", "pair floor", { bun: 6, "node 20": 2.5, "node 24": 2.5 }],
  ["step at history 10,000 ÷ at 10", "step, history 10000", "step, history 10", all(1.1)],
  [
    "the same, condition over the whole history",
    "step, history 10000, whole",
    "step, history 10, whole",
    { bun: 4, "node 24": 2.5 },
  ],
  [
    "beside 10,000 active and 100,000 ended threads ÷ beside 10",
    "step, 10000 threads, 100000 ended",
    "step, history 10",
    { bun: 1.5 },
  ],
  ["beside 1,000,000 nodes ÷ beside 100", "step, 1000000 nodes", "step, history 10", { bun: 1.1 }],
];

/** The targets of one runtime; those whose figures were not taken are left out. */
export function targetsOf(runtime: RuntimeName, figures: readonly Figures[]): readonly Target[] {
  const found = (name: string): Figures | undefined => figures.find((one) => one.name === name);
  const ratios = RATIOS.flatMap(([name, subject, beside, limits]): Target[] => {
    const [above, below] = [found(subject)?.medianMs, found(beside)?.medianMs];
    if (above === undefined || below === undefined) return [];
    return [{ name, unit: "×", measured: above / below, limit: limits[runtime] ?? null }];
  });
  const peak = found("step, history 10000")?.peakMb ?? null;
  if (peak === null) return ratios;
  const limit = runtime === "bun" ? 80 : 100;
  return [...ratios, { name: "peak memory of uwf, history 10,000", unit: "MB", measured: peak, limit }];
}

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
  const before = baseline?.runtimes.find((one) => one.runtime === runtime)?.figures ?? [];
  const was = (name: string): string => {
    const found = before.find((one) => one.name === name);
    return found === undefined ? "" : ms(found.medianMs);
  };
  return [
    `## ${runtime} (${version})`,
    "",
    "| target | measured | limit | |",
    "|---|---|---|---|",
    ...targets.map(({ name, unit, measured, limit }) => {
      const verdict = limit === null ? "" : measured <= limit ? "met" : "missed";
      return `| ${name} | ${measured.toFixed(2)} ${unit} | ${limit === null ? "" : `≤ ${limit}`} | ${verdict} |`;
    }),
    "",
    "| whole process | median | min | max | runs | peak memory | median before |",
    "|---|---|---|---|---|---|---|",
    ...figures.map(({ name, medianMs, minMs, maxMs, runs, peakMb }) => {
      const memory = peakMb === null ? "" : `${peakMb.toFixed(0)} MB`;
      return `| ${name} | ${ms(medianMs)} | ${ms(minMs)} | ${ms(maxMs)} | ${runs} | ${memory} | ${was(name)} |`;
    }),
  ].join("\n");
}

function ms(value: number): string {
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(1)} ms`;
}
