import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomOf, seedFor } from "./random.js";
import type { Kind, KindReport, Session, Violation } from "./types.js";

/** The fixed sample, or rounds until `deadline` (epoch ms); a kind that has tried everything may stop before. */
export type Extent = { readonly level: "sample" } | { readonly level: "full"; readonly deadline: number };

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
