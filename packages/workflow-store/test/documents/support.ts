import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { err, type Fault, fault, ok, problemLine, type Result } from "@uncaged/workflow-protocol";
import { stringify } from "yaml";
import { inspectWorkflowText, type WorkflowCheck, type WorkflowFile } from "../../src/documents/index.js";

/** As a file with this text is read. */
export async function readWorkflowText(
  text: string,
  file: string,
  check: WorkflowCheck,
): Promise<Result<WorkflowFile, Fault>> {
  const { authored, problems } = await inspectWorkflowText(text, file, check);
  return authored === null
    ? err(fault("INVALID_WORKFLOW", { file, problems }))
    : ok({ file, text, authored, problems });
}

/** A small workflow in which everything is right; tests change one thing of it. */
export const SOUND: JsonObject = {
  name: "solve",
  description: "Solves it",
  roles: {
    worker: {
      description: "Works",
      goal: "Get it done",
      capabilities: ["typing"],
      procedure: "Do it.",
      output: "A summary.",
      meta: { type: "object", properties: { summary: { type: "string" } }, required: ["summary"] },
    },
  },
  conditions: { good: { description: "It is good", expression: "true" } },
  graph: {
    $START: [{ role: "worker", condition: null }],
    worker: [
      { role: "$END", condition: "good" },
      { role: "$END", condition: null },
    ],
  },
};

/** `SOUND` with the value at a path replaced, or taken away when it is undefined. */
export function changed(path: readonly string[], value: JsonValue | undefined): string {
  const copy = structuredClone(SOUND) as Record<string, unknown>;
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  const last = path.at(-1) ?? "";
  if (value === undefined) delete at[last];
  else Object.defineProperty(at, last, { value, enumerable: true, configurable: true, writable: true });
  return stringify(copy, { lineWidth: 0 });
}

/** The sentences of a fault with problems, as they are printed; of another fault its code. */
export function linesOf(result: Result<unknown, Fault>): readonly string[] {
  if (result.ok) return [];
  const { error } = result;
  return error.code === "INVALID_WORKFLOW"
    ? error.problems.map((problem) => problemLine(problem, "f"))
    : [error.code];
}
