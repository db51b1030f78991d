import { spawnSync } from "node:child_process";
import { availableParallelism, release, type } from "node:os";
import type { KindReport, Violation } from "./frame.js";
import { RUNTIMES } from "./world.js";

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
