import { parseArgs } from "node:util";

export const USAGE = `usage: bun run bench [--full] [--runs <n>] [--only <runtime,…>] [--baseline <file>] [--json <file>]
  --full      10,000 steps, 100,000 threads, 1,000,000 nodes, and Node.js 24 (takes long, needs 5 GB)
  --runs      timed runs of every command, 15 by default, 21 with --full
  --only      bun, node20, node24
  --baseline  the JSON of an earlier run, to compare with
  --json      write the figures there`;

export type BenchRequest = {
  readonly kind: "run";
  readonly full: boolean;
  readonly runs: number;
  readonly only: readonly string[] | null;
  readonly baseline: string | null;
  readonly json: string | null;
};

type Usage = { readonly kind: "usage"; readonly reason: string };

const RUNTIMES = ["bun", "node20", "node24"];

/** The command line of the benchmark. */
export function readArguments(argv: readonly string[]): BenchRequest | Usage {
  const parsed = parse(argv);
  if ("reason" in parsed) return parsed;
  const { full = false, baseline = null, json = null } = parsed;
  const runs = Number(parsed.runs ?? (full ? 21 : 15));
  const only = parsed.only?.split(",") ?? null;
  if (!Number.isInteger(runs) || runs < 1) return usage(`--runs ${parsed.runs} is no number of runs`);
  const unknown = only?.find((name) => !RUNTIMES.includes(name));
  if (unknown !== undefined) return usage(`--only ${unknown}: there are ${RUNTIMES.join(", ")}`);
  return { kind: "run", full, runs, only, baseline, json };
}

function parse(argv: readonly string[]) {
  try {
    const text = { type: "string" } as const;
    const options = {
      full: { type: "boolean" },
      runs: text,
      only: text,
      baseline: text,
      json: text,
    } as const;
    return parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

function usage(reason: string): Usage {
  return { kind: "usage", reason };
}
