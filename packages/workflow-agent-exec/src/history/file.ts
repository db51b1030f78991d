import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentContext } from "@uncaged/workflow-agent-kit";

/** Names the file for the command. */
export const STEPS_FILE = "UWF_STEPS_FILE";

export type StepsFile = { readonly path: string; readonly remove: () => void };

/**
 * What the thread has delivered so far, as conditions see it, in a file of the user's own. Shape:
 * `{thread, role, start: {workflow, prompt}, steps: [{role, output, detail, agent}]}`, oldest step first.
 * Throws what the system says.
 */
export function writeStepsFile(context: AgentContext, temporary: string): StepsFile {
  const { threadId: thread, role, start, steps } = context;
  const folder = mkdtempSync(join(temporary, "uwf-exec-"));
  const path = join(folder, "steps.json");
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    writeFileSync(path, `${JSON.stringify({ thread, role, start, steps }, null, 2)}\n`, { mode: 0o600 });
    return { path, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
