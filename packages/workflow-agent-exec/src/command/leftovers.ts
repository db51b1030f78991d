import { endRun, runMembers } from "@uncaged/workflow-util";

const NAP_MS = 50;

/** What is about to end has this long to do so by itself. */
const MOMENT_MS = 1000;

const GRACE_MS = 5000;

/**
 * Ends what a command has left running in its process group: a server that a test forgot would hold its port in the
 * next run. Gives how many there were. A program that is to stay has a session of its own (`setsid`).
 */
export async function endLeftovers(pid: number): Promise<number> {
  const identity = { pid, startTime: null, token: null };
  let left = runMembers(identity).length;
  for (let waited = 0; left > 0 && waited < MOMENT_MS; waited += NAP_MS) {
    await new Promise((resolve) => setTimeout(resolve, NAP_MS));
    left = runMembers(identity).length;
  }
  if (left > 0) await endRun(identity, GRACE_MS);
  return left;
}
