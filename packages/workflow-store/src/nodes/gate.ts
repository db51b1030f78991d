import { type CasNode, isHash, validateBuiltIn, violationMessage } from "@uncaged/json-cas";
import {
  type ChunkedFilePayload,
  type ContentPayload,
  err,
  type FileChunkPayload,
  type FilePayload,
  isWorkflowName,
  LIMITS,
  ok,
  type Result,
  ROLE_NAME,
  type StartNodePayload,
  type StepNodePayload,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";

// Gate: a payload from the store becomes typed here. Its hash says that the bytes are the written ones, its type
// which schema they claim; that the writer checked them against it is not known of a foreign writer.

/** Of a node whose type is T's. */
export type Gate<T> = (node: CasNode) => Result<T, string>;

/** Violations that are told: a foreign node may have any number. */
const TOLD = 5;

/** `further`: what the schema cannot say without being another type, as a sentence. */
function gate<T>(further: (payload: T) => string | null = () => null): Gate<T> {
  return (node) => {
    const violations = validateBuiltIn(node.type, node.payload).slice(0, TOLD);
    if (violations.length > 0) return err(violations.map(violationMessage).join("; "));
    const payload = node.payload as T;
    const problem = further(payload);
    return problem === null ? ok(payload) : err(problem);
  };
}

/** The characters alone: the bytes of 4 MiB would have to be counted. */
function longPrompt({ prompt }: StartNodePayload): string | null {
  return prompt.length > LIMITS.prompt ? `prompt is longer than ${LIMITS.prompt} characters` : null;
}

// Names become parts of file names, words of command lines, and what a shell completes: a file with others is refused by
// `workflow put`, and a node by this.

type Named = Pick<WorkflowPayload, "name"> & { readonly roles: Readonly<Record<string, unknown>> };

function strangeName({ name, roles }: Named): string | null {
  if (!isWorkflowName(name)) return "name is not the name of a workflow";
  const strange = Object.keys(roles).find((role) => !ROLE_NAME.test(role));
  if (strange === undefined) return null;
  return `roles has a role without the name of one: ${JSON.stringify(strange.slice(0, 64))}`;
}

function strangeChild(workflow: WorkflowPayload): string | null {
  for (const [role, { agent }] of Object.entries(workflow.roles)) {
    if (agent === null || !("workflow" in agent)) continue;
    const { name } = agent.workflow;
    if (!isHash(name) && !isWorkflowName(name))
      return `roles.${role}.agent.workflow.name is not the name of a workflow, or a hash`;
  }
  return null;
}

/** As the type without players says it. Both types are one shape from here on. */
const asPlain = gate(strangeName);

export const asWorkflow: Gate<WorkflowPayload> = (node) => {
  const plain = asPlain(node);
  if (!plain.ok) return plain;
  const workflow = node.payload as WorkflowPayload;
  const roles = Object.entries(workflow.roles).map(
    ([name, role]) => [name, { ...role, agent: null }] as const,
  );
  return ok({ ...workflow, roles: Object.fromEntries(roles) });
};

export const asPlayedWorkflow: Gate<WorkflowPayload> = gate(
  (workflow: WorkflowPayload) => strangeName(workflow) ?? strangeChild(workflow),
);
export const asStart: Gate<StartNodePayload> = gate(longPrompt);
export const asStep: Gate<StepNodePayload> = gate();
export const asContent: Gate<ContentPayload> = gate();
export const asFile: Gate<FilePayload> = gate();
export const asChunkedFile: Gate<ChunkedFilePayload> = gate();
export const asFileChunk: Gate<FileChunkPayload> = gate();
