import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** How one run of an agent ended, as the log tells it. */
export type LoggedRun = {
  readonly thread: string;
  readonly run: string;
  readonly head: string | null;
  readonly outcome: "step" | "adopted" | "failed" | "abandoned";
  readonly step: string | null;
};

const OUTCOMES: ReadonlySet<unknown> = new Set(["step", "adopted", "failed", "abandoned"]);

/** All runs in the logs of a storage root; a torn line is none. */
export function loggedRuns(root: string): readonly LoggedRun[] {
  return dayFiles(join(root, "logs")).flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line) => runOf(line)),
  );
}

function dayFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function runOf(line: string): readonly LoggedRun[] {
  try {
    const { thread, run, head = null, outcome, step = null } = JSON.parse(line);
    return OUTCOMES.has(outcome) ? [{ thread, run, head, outcome, step }] : [];
  } catch {
    return [];
  }
}
