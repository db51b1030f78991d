import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Random choices that a seed repeats. */
export type Random = {
  /** In [0, 1). */
  readonly next: () => number;
  /** An integer in [0, below). */
  readonly below: (below: number) => number;
  readonly pick: <T>(items: readonly [T, ...T[]]) => T;
};

/** What one kind of fault gets to work with. */
export type Session = {
  readonly random: Random;
  readonly seed: number;
  /** A sample is small and always the same; a full run goes on until its time is over. */
  readonly level: "sample" | "full";
  /** Whether another round should begin: after the sample's rounds, or when the time is over, it should not. */
  readonly more: (roundsDone: number) => boolean;
  /** Adds to a figure of the report. */
  readonly count: (figure: string, by?: number) => void;
  /** Says that a promise is broken; the evidence lets a person repeat it. */
  readonly broken: (promise: string, evidence: string) => void;
  /** An empty folder of this kind's own; it is gone when the run is over. */
  readonly folder: string;
};

/** One way of breaking things. */
export type Kind = {
  readonly name: string;
  /** What is done, in one sentence, for the report. */
  readonly title: string;
  /** Rounds of the fixed sample that runs in the normal tests. */
  readonly sampleRounds: number;
  /** Its part of a full run's time, relative to the others. */
  readonly weight: number;
  /** Figures that a full run is meant to reach. */
  readonly goals: Readonly<Record<string, number>>;
  readonly run: (session: Session) => Promise<void>;
};

export type Violation = { readonly promise: string; readonly evidence: string };

/** What came of one kind. */
export type KindReport = {
  readonly name: string;
  readonly title: string;
  readonly seconds: number;
  readonly figures: Readonly<Record<string, number>>;
  readonly goals: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
};

/** What came of a run. */
export type Report = {
  /** ISO day. */
  readonly date: string;
  readonly seed: number;
  readonly minutes: number;
  readonly machine: string;
  readonly runtimes: readonly string[];
  readonly kinds: readonly KindReport[];
};

/** mulberry32: 32 bits of state are enough to choose a victim, and the same seed chooses the same one everywhere. */
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

/** A seed of its own for each kind, so that leaving one out does not change the others. */
function seedFor(seed: number, name: string): number {
  return [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, seed >>> 0);
}

/** The fixed sample, or rounds until `deadline` (epoch ms); a kind that has tried everything may stop before. */
type Extent = { readonly level: "sample" } | { readonly level: "full"; readonly deadline: number };

/** More of the same says nothing new, and a report must stay readable. */
const VIOLATIONS_KEPT = 50;

/** Runs one kind of fault in a scratch folder of its own. A kind that throws has failed, not survived. */
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
  const { name, title, goals } = kind;
  return { name, title, seconds: Math.round((Date.now() - started) / 1000), figures, goals, violations };
}
