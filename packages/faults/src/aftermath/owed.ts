import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readLedger } from "../invariants/index.js";
import type { World } from "../world/index.js";

/** A step whose result lies in a run's stdout: it has been paid for. */
export type Owed = { readonly thread: string; readonly head: string; readonly starts: number };

/** Every step that an agent has printed and no head points to yet. */
export function owedSteps(world: World): readonly Owed[] {
  const runs = join(world.root, "runs");
  return namesIn(runs).flatMap((thread) =>
    namesIn(join(runs, thread))
      .filter((token) => !token.startsWith(".") && token !== "ending" && !token.endsWith(".json"))
      .flatMap((token) => {
        const head = printedFrom(join(runs, thread, token));
        return head === null ? [] : [{ thread, head, starts: startsOf(world, thread, head) }];
      }),
  );
}

/** How often an agent was started for a thread at a head. */
export function startsOf({ ledger }: World, thread: string, head: string): number {
  return readLedger(ledger).filter((start) => start.thread === thread && start.head === head).length;
}

/** The head that a run with a whole line of result started from. */
function printedFrom(run: string): string | null {
  if (!/(^|\n)[0-9A-HJKMNP-TV-Z]{13}\n$/.test(textOf(join(run, "stdout")))) return null;
  const record = textOf(join(run, "run.json"));
  // Gone before its stdout: the thread has ended, and its runs are being removed.
  return record === "" ? null : JSON.parse(record).head;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
