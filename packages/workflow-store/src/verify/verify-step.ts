import {
  type CasNode,
  type Hash,
  parseHash,
  type Store,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import { err, type Fault, messageOf, type Result, type StepNodePayload } from "@uncaged/workflow-protocol";
import { refusal } from "../attempt/index.js";
import { readStep, type StepNode, typeName } from "../nodes/index.js";
import type { StepExpectation } from "./types.js";

/**
 * Stage 7: whether the node that an agent printed may become the head. The error is the reason as a sentence
 * about that node (`its role is …`); reading a node checks its bytes against its hash.
 */
export function verifyStep(store: Store, expected: StepExpectation): Result<StepNode, string> {
  const hash = parseHash(expected.hash);
  if (hash === null) return err(`"${expected.hash.slice(0, 200)}" is not a hash`);
  const step = readStep(store, hash);
  if (!step.ok) return err(nodeProblem(step.error));
  const problem =
    placeProblem(step.value.payload, expected) ??
    outputProblem(store, step.value.payload.output, expected) ??
    detailProblem(store, step.value.payload.detail);
  return problem === null ? step : err(problem);
}

/** Why the printed node is no StepNode. */
function nodeProblem(failure: Fault): string {
  switch (failure.code) {
    case "NODE_MISSING":
      return "it does not exist";
    case "WRONG_NODE_TYPE":
      return `it is a ${failure.got}, not a ${failure.expected}`;
    case "NODE_DAMAGED":
      return `it is damaged: ${failure.reason}`;
    default:
      return messageOf(failure);
  }
}

/** Whether the step stands where the next step of this thread belongs. */
function placeProblem(step: StepNodePayload, { head, startHash, role }: StepExpectation): string | null {
  if (step.start !== startHash) return `its start is ${step.start}, expected ${startHash}`;
  if (step.role !== role) return `its role is "${step.role}", expected "${role}"`;
  const prev = head === startHash ? null : head;
  if (step.prev !== prev) return `its prev is ${step.prev ?? "null"}, expected ${prev ?? "null"}`;
  return null;
}

function outputProblem(store: Store, output: Hash, { role, meta }: StepExpectation): string | null {
  const node = look(store, output);
  if (typeof node === "string") return `its output ${output} ${node}`;
  if (node.type !== meta) {
    return `its output ${output} is a ${typeName(store, node.type)} (${node.type}), expected the meta ${meta} of role "${role}"`;
  }
  const violations = validate(store, node);
  if (violations.length === 0) return null;
  return `its output ${output} violates the meta of role "${role}": ${violations.map(violationMessage).join("; ")}`;
}

function detailProblem(store: Store, detail: Hash): string | null {
  const node = look(store, detail);
  return typeof node === "string" ? `its detail ${detail} ${node}` : null;
}

/** The node, or why there is none, in words. */
function look(store: Store, hash: Hash): CasNode | string {
  try {
    return store.get(hash) ?? "does not exist";
  } catch (error) {
    return `is unreadable: ${refusal(error)}`;
  }
}
