import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestThread } from "../../workflow-agent-kit/test/helpers/thread.js";

export {
  advance,
  makeThread,
  REVIEW_META,
  type TestThread,
} from "../../workflow-agent-kit/test/helpers/thread.js";

export function reply(approved: boolean): string {
  return `---\napproved: ${approved}\n---\nSaid ${approved}.\n`;
}

/** A scenario file in the thread's root. */
export function writeScenario({ root }: TestThread, scenario: unknown): string {
  const file = join(root, "scenario.json");
  writeFileSync(file, JSON.stringify(scenario));
  return file;
}
