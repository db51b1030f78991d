import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "./uwf.js";

export type LogDoc = Readonly<Record<string, unknown>>;

/** Every line about a run in the sandbox's log, oldest first; events of threads are left out. */
export function logLines(box: Sandbox): readonly LogDoc[] {
  const folder = join(box.root, "logs");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((day) => readFileSync(join(folder, day), "utf8").trim().split("\n"))
    .map((line): LogDoc => JSON.parse(line))
    .filter(({ outcome }) => outcome !== undefined);
}

/** How often any zoo agent was started in this sandbox. */
export function agentRuns(box: Sandbox): number {
  const file = join(box.root, "..", "agent-runs.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}
