import { readPrefix } from "./read-prefix.js";
import { refusalOfFolder } from "./start.js";
import type { Waiting, WaitingSpec } from "./types.js";
import { startLauncher } from "./waiting.js";

/**
 * How a launcher begins that waits when it is told to (scripts/launcher/template.ts). The version of what is said
 * between the two: a uwf and an agent may be of different releases.
 */
const LAUNCHER =
  "#!/bin/sh\n':' //; # Shell and JavaScript at once, and waits for word and sign when told to";

/**
 * `startLauncher` for any command, an absolute path that the system would execute; `null` when it is none of ours, or
 * its folder is not there.
 */
export async function startWaiting(spec: WaitingSpec): Promise<Waiting | null> {
  if (readPrefix(spec.command, LAUNCHER.length)?.toString("latin1") !== LAUNCHER) return null;
  return refusalOfFolder(spec.cwd) === null ? startLauncher(spec) : null;
}
