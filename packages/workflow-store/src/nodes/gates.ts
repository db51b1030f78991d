import type { CasNode, JsonValue } from "@uncaged/json-cas";
import {
  type ContentPayload,
  err,
  ok,
  type Result,
  type StartNodePayload,
  type StepNodePayload,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { fields, listOf, mapOf, orNull, ref, type Shape, text, wordsOf } from "./shape.js";

// Gate: a payload from the store becomes typed here. Its hash says that the bytes are the written ones, its type
// which schema they claim; that the writer checked them against it is not known of a foreign writer.

const WORKFLOW = fields({
  name: text,
  description: text,
  roles: mapOf(
    fields({
      description: text,
      goal: text,
      capabilities: listOf(text),
      procedure: text,
      output: text,
      meta: ref,
    }),
  ),
  conditions: mapOf(fields({ description: text, expression: text })),
  graph: mapOf(listOf(fields({ role: text, condition: orNull(text) }))),
});

const START = fields({ workflow: ref, prompt: text });

const STEP = fields({ start: ref, prev: orNull(ref), role: text, output: ref, detail: ref, agent: text });

const CONTENT = fields({ text });

export const asWorkflow = gate<WorkflowPayload>(WORKFLOW);
export const asStart = gate<StartNodePayload>(START);
export const asStep = gate<StepNodePayload>(STEP);
export const asContent = gate<ContentPayload>(CONTENT);

export type Gate<T> = (node: CasNode) => Result<T, string>;

function gate<T extends JsonValue>(shape: Shape): Gate<T> {
  return ({ payload }) => {
    const problem = shape(payload);
    return problem === null ? ok(payload as T) : err(wordsOf(problem));
  };
}
