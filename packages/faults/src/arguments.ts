import { parseArgs } from "node:util";
import type { Kind } from "./frame.js";

export const USAGE = `usage: bun run test:faults [--minutes <n>] [--seed <n>] [--only <kind,…>] [--write | --no-write]
  --minutes  wall time of the whole run, 20 by default
  --seed     repeats the random choices of another run
  --only     some kinds only
  --write    write docs/reliability.json; default for whole runs of 20 minutes`;

/** The minimum length of a run whose figures are written. */
export const FULL_MINUTES = 20;

export type FaultsRequest = {
  readonly kind: "run";
  readonly minutes: number;
  readonly seed: number;
  readonly only: readonly string[] | null;
  readonly write: boolean;
};

type Usage = { readonly kind: "usage"; readonly reason: string };

/** The command line of the harness. */
export function readArguments(argv: readonly string[], kinds: readonly Kind[]): FaultsRequest | Usage {
  const parsed = parse(argv);
  if ("reason" in parsed) return parsed;
  const minutes = Number(parsed.minutes ?? FULL_MINUTES);
  const seed = Number(parsed.seed ?? Date.now() % 1_000_000);
  const only = parsed.only?.split(",") ?? null;
  if (!(minutes > 0)) return usage(`--minutes ${parsed.minutes} is not a number above 0`);
  if (!Number.isSafeInteger(seed) || seed < 0) return usage(`--seed ${parsed.seed} is not a whole number`);
  const unknown = only?.find((name) => !kinds.some((kind) => kind.name === name));
  if (unknown !== undefined) {
    return usage(`there is no kind ${unknown}; the kinds are ${kinds.map(({ name }) => name).join(", ")}`);
  }
  const write = parsed.write ?? (only === null && minutes >= FULL_MINUTES);
  return { kind: "run", minutes, seed, only, write };
}

function parse(argv: readonly string[]) {
  try {
    const options = {
      minutes: { type: "string" },
      seed: { type: "string" },
      only: { type: "string" },
      write: { type: "boolean" },
    } as const;
    return parseArgs({ args: [...argv], options, allowNegative: true, strict: true }).values;
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

function usage(reason: string): Usage {
  return { kind: "usage", reason };
}
