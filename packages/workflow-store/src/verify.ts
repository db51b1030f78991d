import {
  type CasNode,
  type Hash,
  parseHash,
  type Store,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import {
  type CasRef,
  err,
  type Fault,
  messageOf,
  ok,
  type Result,
  type StepNodePayload,
} from "@uncaged/workflow-protocol";
import { refusal } from "./attempt.js";
import { readNode, type StepNode, typeName } from "./nodes.js";
import { brokenReferences, type Top } from "./references.js";

/** What an agent's node must be to become the next head. */
type StepExpectation = {
  /** What the agent printed. */
  readonly hash: string;
  /** The head that the step follows; the start's hash for the first step. */
  readonly head: CasRef;
  readonly startHash: CasRef;
  readonly role: string;
  /** Type of the role's output. */
  readonly meta: CasRef;
  /** Whether a node is one that the thread has recorded: what that reaches was looked at then. */
  readonly isRecorded: (hash: CasRef) => boolean;
};

/** A step that passed, with the nodes that the check has read: callers need not read them again. */
export type CheckedStep = StepNode & { readonly output: CasNode; readonly detail: CasNode };

/**
 * Stage 7: whether the node that an agent printed may become the head. The error is the reason as a sentence
 * about that node (`its role is …`); reading a node checks its bytes against its hash.
 */
export function verifyStep(store: Store, expected: StepExpectation): Result<CheckedStep, string> {
  const hash = parseHash(expected.hash);
  if (hash === null) return err(`"${expected.hash.slice(0, 200)}" is not a hash`);
  const step = readNode(store, "stepNode", hash);
  if (!step.ok) return err(nodeProblem(step.error));
  const { payload } = step.value;
  const misplaced = placeProblem(payload, expected);
  if (misplaced !== null) return err(misplaced);
  const output = readOutputNode(store, payload.output, expected);
  if (!output.ok) return output;
  const detail = readAny(store, payload.detail);
  if (!detail.ok) return err(`its detail ${payload.detail} ${detail.error}`);
  const tops = [
    { name: "output", hash: payload.output, node: output.value },
    { name: "detail", hash: payload.detail, node: detail.value },
  ];
  const broken = brokenBelow(store, tops, expected);
  if (broken !== null) return err(broken);
  return ok({ ...step.value, output: output.value, detail: detail.value });
}

/** What is wrong with the nodes that output and detail reach. */
function brokenBelow(store: Store, tops: readonly Top[], { isRecorded }: StepExpectation): string | null {
  const broken = brokenReferences(store, tops, { seen: new Set(), isOld: isRecorded, most: Infinity });
  const words = broken.slice(0, MOST_TOLD).map(({ field, hash, reason }) => `its ${field} ${hash} ${reason}`);
  const more = broken.length - words.length;
  return words.length === 0 ? null : `${words.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

const MOST_TOLD = 10;

/** Why the printed node is not a StepNode. */
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

/** Whether the step is in the right place to be the next step of this thread. */
function placeProblem(step: StepNodePayload, { head, startHash, role }: StepExpectation): string | null {
  if (step.start !== startHash) return `its start is ${step.start}, expected ${startHash}`;
  if (step.role !== role) return `its role is "${step.role}", expected "${role}"`;
  const prev = head === startHash ? null : head;
  if (step.prev !== prev) return `its prev is ${step.prev ?? "null"}, expected ${prev ?? "null"}`;
  return null;
}

function readOutputNode(
  store: Store,
  output: Hash,
  { role, meta }: StepExpectation,
): Result<CasNode, string> {
  const found = readAny(store, output);
  if (!found.ok) return err(`its output ${output} ${found.error}`);
  const node = found.value;
  if (node.type !== meta) {
    const type = typeName(store, node.type);
    return err(
      `its output ${output} is a ${type} (${node.type}), expected the meta ${meta} of role "${role}"`,
    );
  }
  const violations = validate(store, node);
  if (violations.length === 0) return found;
  const words = violations.map(violationMessage).join("; ");
  return err(`its output ${output} violates the meta of role "${role}": ${words}`);
}

/** The node, or why there is none, in words. */
function readAny(store: Store, hash: Hash): Result<CasNode, string> {
  try {
    const node = store.get(hash);
    return node === null ? err("does not exist") : ok(node);
  } catch (error) {
    return err(`is unreadable: ${refusal(error)}`);
  }
}
