import { type DoctorOutput, ok } from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import type { Host } from "../../io/index.js";
import type { CommandContext, CommandResult } from "../types.js";
import { checkAgents } from "./agents.js";
import { checkClock } from "./clock.js";
import { checkConfig } from "./config.js";
import { checkFiles } from "./files.js";
import type { Found } from "./findings.js";
import { checkLocks } from "./locks.js";
import { checkRoot } from "./root.js";
import { checkRuns } from "./runs.js";
import { checkRuntime } from "./runtime.js";

/**
 * Looks at everything that a step needs, offline, and says what to do about each thing that is wrong. Changes nothing
 * that lasts. Ends as the command that the first error would stop does.
 */
export async function doctor(context: CommandContext): CommandResult {
  const { host } = context;
  const opened = context.openStorage();
  const storage = opened.ok ? opened.value : null;
  const [runtime, clock, inside] = await Promise.all([
    checkRuntime(host),
    checkClock(host, storage),
    storage === null ? [] : checkInside(host, storage),
  ]);
  const all = [...checkRoot(host, opened), ...inside, ...runtime, ...clock];
  const first = all.find(({ finding }) => finding.status === "error");
  const value: DoctorOutput = { ok: first === undefined, findings: all.map(({ finding }) => finding) };
  return ok({ kind: "verdict", value, exitCode: first?.exitCode ?? 0 });
}

async function checkInside(host: Host, storage: Storage): Promise<readonly Found[]> {
  const { found, config } = await checkConfig(host, storage);
  const agents = await checkAgents(host, storage, config);
  return [...found, ...agents, ...(await checkFiles(storage)), ...checkLocks(storage), ...checkRuns(storage)];
}
