import type { WorkflowPayload } from "@uncaged/workflow-protocol";
import { loadJsonata } from "../engine/index.js";
import { parseExpression, windowOf } from "../expression/index.js";
import { parseSimple, windowOfSimple } from "../simple/index.js";
import { own } from "./node.js";

/**
 * How many of the last steps `decide` and `explain` can look at when the last step's role is `key` ($START before the
 * first): at least 1, the step that says where the thread stands; `null` when a condition may look at all of them.
 * A context with only these steps gives the same decision, the same values and the same faults.
 */
export async function stepsNeeded(workflow: WorkflowPayload, key: string): Promise<number | null> {
  const names = (own(workflow.graph, key) ?? []).map(({ condition }) => condition);
  let needed = 1;
  for (const name of new Set(names)) {
    const window = name === null ? 0 : await windowOfCondition(workflow, name);
    if (window === null) return null;
    needed = Math.max(needed, window);
  }
  return needed;
}

/** A condition that does not exist or does not parse fails before it looks at anything. */
async function windowOfCondition(workflow: WorkflowPayload, name: string): Promise<number | null> {
  const definition = own(workflow.conditions, name);
  if (definition === null) return 0;
  const simple = parseSimple(definition.expression);
  if (simple !== null) return windowOfSimple(simple);
  const parsed = parseExpression(await loadJsonata(), definition.expression);
  return parsed.ok ? windowOf(parsed.value.ast) : 0;
}
