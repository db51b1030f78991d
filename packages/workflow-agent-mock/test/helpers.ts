import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@uncaged/json-cas";
import type { TestThread } from "../../workflow-agent-kit/test/helpers/thread.js";
import { advanceHead } from "../../workflow-store/src/index.js";

export { makeThread, REVIEW_META, type TestThread } from "../../workflow-agent-kit/test/helpers/thread.js";

export function reply(approved: boolean): string {
  return `---\napproved: ${approved}\n---\nSaid ${approved}.\n`;
}

/** A scenario file in the thread's root. */
export function writeScenario({ root }: TestThread, scenario: unknown): string {
  const file = join(root, "scenario.json");
  writeFileSync(file, JSON.stringify(scenario));
  return file;
}

/** Does what uwf does with the printed hash. */
export async function advance({ storage, thread }: TestThread, expected: Hash, next: Hash): Promise<void> {
  const moved = await advanceHead(storage, { thread, expected, next });
  if (!moved.ok) throw new Error(JSON.stringify(moved.error));
}
