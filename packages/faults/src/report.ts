import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, release, type } from "node:os";
import type { KindReport, Report, Violation } from "./frame.js";
import { RUNTIMES } from "./world.js";

const BEGIN = "<!-- figures: written by `bun run test:faults` -->";
const END = "<!-- end of figures -->";

/** The document with the figures of this run between its two marks. Throws when the marks are gone. */
export function documentWith(file: string, report: Report): string {
  const text = readFileSync(file, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${file} has no place for the figures: ${BEGIN} … ${END}`);
  return `${text.slice(0, begin + BEGIN.length)}\n${tableOf(report)}\n${text.slice(end)}`;
}

/** The figures as Markdown. */
function tableOf({ date, seed, minutes, machine, runtimes, kinds }: Report): string {
  return `
Run of ${date}, ${minutes} minutes, seed ${seed}, on ${machine}, with ${runtimes.join(" and ")}.

| kind | what was done | figures | broken promises |
|---|---|---|---|
${kinds.map(rowOf).join("\n")}
`;
}

function rowOf({ name, title, figures, violations }: KindReport): string {
  const shown = Object.entries(figures).map(([figure, value]) => `${value.toLocaleString("en")} ${figure}`);
  return `| ${name} | ${title} | ${shown.join("; ")} | ${violations.length} |`;
}

/** Cores and kernel; no names. */
export function machine(): string {
  return `${availableParallelism()} cores, ${type()} ${release().split("-")[0]}`;
}

/** The runtimes that the binaries ran on, with versions. */
export function runtimes(): readonly string[] {
  return RUNTIMES.map((runtime) => {
    const version = spawnSync(runtime, ["--version"], { encoding: "utf8" }).stdout.trim();
    return runtime === "bun" ? `bun ${version}` : `Node.js ${version.replace(/^v/, "")}`;
  });
}

/** One kind's figures and broken promises for a terminal. */
export function linesOf({ name, seconds, figures, goals, violations }: KindReport): string {
  const shown = Object.entries(figures).map(
    ([figure, value]) => `  ${value} ${figure}${shortOf(value, goals[figure])}`,
  );
  const head = `${name} (${seconds} s): ${violations.length === 0 ? "survived" : `${violations.length} BROKEN`}`;
  return [head, ...shown, ...violations.map(violationLine)].join("\n");
}

function shortOf(value: number, goal: number | undefined): string {
  return goal !== undefined && value < goal ? ` (a full run has at least ${goal})` : "";
}

function violationLine({ promise, evidence }: Violation): string {
  return `  broken: ${promise}\n    ${evidence.replaceAll("\n", "\n    ")}`;
}
