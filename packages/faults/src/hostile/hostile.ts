import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Kind, Session } from "../frame.js";
import { openWorld, RUNTIMES } from "../world.js";
import { openBench, type Records } from "./binaries/bench.js";
import { STORIES } from "./binaries/stories.js";
import { driveSubject, SUBJECTS, sampleSubject } from "./pure/index.js";

/** What one subject gets of a round, times its weight. */
const SLICE_MS = 1_000;
const SLOW_MS = 2_000;

/** What others wrote, wherever it is read: files, replies, expressions, nodes, command lines, outputs, answers of models. */
export const hostile: Kind = {
  name: "hostile",
  title: "input from an enemy, by the thousand in the process and by the hundred through real binaries",
  sampleRounds: 1,
  weight: 5,
  goals: {
    "workflow files": 3_000,
    replies: 20_000,
    expressions: 300,
    "node bytes": 30_000,
    "command lines": 5_000,
    "commands of real binaries": 500,
  },
  run: async (session) => {
    const records: Records = { slowestMs: 0, peakMb: 0 };
    for (let round = 0; session.more(round); round += 1) {
      await trySubjects(session, round);
      await tellStories(session, round, records);
    }
    session.count("MB in the largest process", records.peakMb);
    if (session.level === "full")
      session.count("ms of processor time for the slowest command", records.slowestMs);
  },
};

async function trySubjects(session: Session, round: number): Promise<void> {
  for (const subject of SUBJECTS) {
    if (isOver(session, round)) return;
    const folder = join(session.folder, `subjects-${round}`, subject.name.replaceAll(" ", "-"));
    mkdirSync(folder, { recursive: true });
    if (session.level === "sample") await sampleSubject(session, subject, folder);
    else {
      const deadline = Date.now() + subject.weight * SLICE_MS;
      await driveSubject(session, subject, { folder, deadline, slowMs: SLOW_MS });
    }
  }
}

async function tellStories(session: Session, round: number, records: Records): Promise<void> {
  // A round on each runtime in turn, the fast one first.
  const runtime = RUNTIMES[round % RUNTIMES.length] ?? RUNTIMES[0];
  for (const { name, tell } of STORIES) {
    if (isOver(session, round)) return;
    const folder = join(session.folder, `stories-${round}`, name, "world");
    mkdirSync(folder, { recursive: true });
    await tell(openBench(session, openWorld(folder, runtime), records));
  }
}

/** The first round is made as a whole; later ones end with the time. */
function isOver(session: Session, round: number): boolean {
  return round > 0 && !session.more(Number.POSITIVE_INFINITY);
}
