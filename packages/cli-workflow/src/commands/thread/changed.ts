import { existsSync } from "node:fs";
import { assembledOf, resolveWorkflow } from "@uncaged/workflow-engine";
import { type CasRef, type ChangedWorkflow, shellWord, type ThreadId } from "@uncaged/workflow-protocol";
import { readWorkflow, readWorkflowSource, type Storage } from "@uncaged/workflow-store";

type Begun = { readonly thread: ThreadId; readonly head: CasRef; readonly workflow: CasRef };

/**
 * What an active thread's workflow has become since the thread began: its file, or its name in the registry. `null`: it is
 * the same, or that cannot be determined.
 */
export async function changedWorkflow(
  storage: Storage,
  { thread, head, workflow }: Begun,
): Promise<ChangedWorkflow | null> {
  const begun = readWorkflow(storage.cas, workflow);
  if (!begun.ok) return null;
  const source = readWorkflowSource(storage, thread);
  const from = source !== null && existsSync(source) ? source : begun.value.payload.name;
  // A name is one of the registry: the thread was not started from a file that is still there.
  const now = await resolveWorkflow({ storage, cwd: "/", warn: () => {} }, from);
  if (!now.ok) return null;
  const { hash, payload } = assembledOf(now.value);
  if (hash === workflow || (from !== source && payload.name !== from)) return null;
  const command = `uwf thread fork ${head} --workflow ${shellWord(from)} --instead-of ${thread}`;
  return { from, workflow: hash, command };
}
