import { messageOf, type ThreadId } from "@uncaged/workflow-protocol";
import { doubtAbout, identityOf, type Storage, surveyRuns } from "@uncaged/workflow-store";
import type { RunIdentity } from "@uncaged/workflow-util";
import type { Messages } from "../io/index.js";

/**
 * The processes to end with a thread. A run whose run.json cannot be read is named in a warning and keeps no thread
 * from ending: its agent is found by the token and the `pid` file.
 */
export function runsToEnd(
  storage: Storage,
  thread: ThreadId,
  { warn }: Pick<Messages, "warn">,
): readonly RunIdentity[] {
  const found = surveyRuns(storage, thread);
  if (!found.ok) {
    warn(`the runs of the thread cannot be listed: ${messageOf(found.error)}`);
    return [];
  }
  const { runs, damaged } = found.value;
  for (const { damage } of damaged)
    warn(`a result of this run, if there is one, is lost: ${messageOf(damage)}`);
  for (const run of runs) {
    const doubt = doubtAbout(run);
    if (doubt !== null) warn(`processes of its run as ${run.record.role} are not ended from here: ${doubt}`);
  }
  return [...runs, ...damaged.map(({ run }) => run)].map(identityOf);
}
