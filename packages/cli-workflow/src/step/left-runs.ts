import { messageOf, type ThreadId } from "@uncaged/workflow-protocol";
import { type Storage, surveyRuns } from "@uncaged/workflow-store";
import type { RunIdentity } from "@uncaged/workflow-util";
import type { Messages } from "../io/index.js";
import { identityOf } from "./identity.js";

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
  return [...runs, ...damaged.map(({ run }) => run)].map(identityOf);
}
