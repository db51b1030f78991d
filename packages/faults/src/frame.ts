import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { availableParallelism, release, tmpdir, type } from "node:os";
import { join } from "node:path";

/** Random choices, repeatable by seed. */
export type Random = {
  /** In [0, 1). */
  readonly next: () => number;
  /** An integer in [0, below). */
  readonly below: (below: number) => number;
  readonly pick: <T>(items: readonly [T, ...T[]]) => T;
};

/** The context of one kind of fault. */
export type Session = {
  readonly random: Random;
  readonly seed: number;
  /** A sample is small and always the same; a full run continues until its time is over. */
  readonly level: "sample" | "full";
  /** Whether to begin another round: not after the sample's rounds or when the time is over. */
  readonly more: (roundsDone: number) => boolean;
  /** Adds to a figure of the report. */
  readonly count: (figure: string, by?: number) => void;
  /** Reports a broken promise, with evidence that is enough to repeat it. */
  readonly broken: (promise: string, evidence: string) => void;
  /** An empty folder for this kind, removed after the run. */
  readonly folder: string;
};

/** Reports a broken promise. */
export type Tell = Session["broken"];

/** Says which round broke a promise. */
export function teller({ seed, broken }: Session, round: string): Tell {
  return (promise, evidence) => broken(promise, `seed ${seed}, ${round}: ${evidence}`);
}

/** One way of breaking things. */
export type Kind = {
  readonly name: string;
  /** A sentence for the report. */
  readonly title: string;
  /** Rounds of the fixed sample that runs in the normal tests. */
  readonly sampleRounds: number;
  /** Its share of a full run's time, relative to the others. */
  readonly weight: number;
  readonly run: (session: Session) => Promise<void>;
};

export type Violation = { readonly promise: string; readonly evidence: string };

/** The result of one kind. */
export type KindReport = {
  readonly name: string;
  readonly title: string;
  readonly seconds: number;
  readonly figures: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
};

/** The result of a run. */
export type Report = {
  /** ISO day. */
  readonly date: string;
  readonly seed: number;
  readonly minutes: number;
  readonly machine: string;
  readonly runtimes: readonly string[];
  readonly kinds: readonly KindReport[];
};

/** Cores and kernel; no names. */
export function machine(): string {
  return `${availableParallelism()} cores, ${type()} ${release().split("-")[0]}`;
}

/** mulberry32: 32 bits of state are enough, and the same seed gives the same choices everywhere. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  const pick = <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0];
  return { next, below, pick };
}

/** A separate seed for each kind, so that omitting one does not change the others. */
function seedFor(seed: number, name: string): number {
  return [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, seed >>> 0);
}

/** The fixed sample, or rounds until `deadline` (epoch ms); a kind that has tried everything may stop before. */
type Extent = { readonly level: "sample" } | { readonly level: "full"; readonly deadline: number };

/** The most broken promises that are reported, to keep the report readable. */
const VIOLATIONS_KEPT = 50;

/** Runs one kind of fault in its own scratch folder. A kind that throws has failed. */
export async function runKind(kind: Kind, seed: number, extent: Extent): Promise<KindReport> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `uwf-faults-${kind.name}-`)));
  const figures: Record<string, number> = {};
  const violations: Violation[] = [];
  const started = Date.now();
  const broken: Session["broken"] = (promise, evidence) => {
    if (violations.length < VIOLATIONS_KEPT) violations.push({ promise, evidence });
  };
  const session: Session = {
    random: randomOf(seedFor(seed, kind.name)),
    seed,
    level: extent.level,
    more: (done) =>
      extent.level === "sample"
        ? done < kind.sampleRounds
        : done < kind.sampleRounds || Date.now() < extent.deadline,
    count: (figure, by = 1) => {
      figures[figure] = (figures[figure] ?? 0) + by;
    },
    broken,
    folder: join(folder, "work"),
  };
  try {
    mkdirSync(session.folder);
    await kind.run(session);
  } catch (error) {
    broken(
      "the harness itself runs to its end",
      error instanceof Error ? (error.stack ?? "") : String(error),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const { name, title } = kind;
  return { name, title, seconds: Math.round((Date.now() - started) / 1000), figures, violations };
}
