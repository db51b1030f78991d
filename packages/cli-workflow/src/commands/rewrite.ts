import {
  type CasNode,
  computeHash,
  type JsonObject,
  META_SCHEMA_HASH,
  type Store,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import { type AssembledWorkflow, failedAt, targetName } from "@uncaged/workflow-engine";
import { decide } from "@uncaged/workflow-moderator";
import {
  type CasRef,
  err,
  type Fault,
  type FaultOf,
  fault,
  type ModeratorContext,
  ok,
  type Result,
  type StartNodePayload,
  type StepNodePayload,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  attemptAsync,
  brokenReferences,
  type Chain,
  openStorage,
  putNode,
  readContext,
  type Storage,
  TYPE,
} from "@uncaged/workflow-store";
import { meantWords } from "./output.js";

/** A node to be written, with the time of the node it replaces. */
type Rewritten<T> = { readonly hash: CasRef; readonly payload: T; readonly timestamp: number };

/** A thread's history as it would be under another workflow. */
type Rewrite = {
  readonly head: CasRef;
  readonly start: Rewritten<StartNodePayload>;
  /** Oldest first. */
  readonly steps: readonly RewrittenStep[];
};

type RewrittenStep = Rewritten<StepNodePayload> & {
  /** The step it replaces. */
  readonly from: CasRef;
  /** Its output, as a node of the role's other `meta`. */
  readonly output: CasNode;
};

type Question = {
  readonly chain: Chain;
  /** Of the chain, with every output. */
  readonly context: ModeratorContext;
  readonly workflow: AssembledWorkflow;
  /** The workflow as a person named it. */
  readonly named: string;
};

type Misfit = FaultOf<"STEPS_DO_NOT_FIT">["problems"][number];

/** Every step's output as a node of the other workflow, in their order; or every step that does not fit it. */
function outputsUnder(
  cas: Store,
  { chain, context, workflow, named }: Question,
): Result<readonly CasNode[], Fault> {
  const store = withSchemas(cas, workflow.schemas);
  const { roles } = workflow.payload;
  const outputs: CasNode[] = [];
  const problems: Misfit[] = [];
  let fits: CasRef = chain.start.hash;
  for (const [place, { hash, payload, timestamp }] of chain.steps.entries()) {
    const { role } = payload;
    const definition = Object.hasOwn(roles, role) ? roles[role] : undefined;
    if (definition === undefined) {
      const violation = `there is no such role${meantWords(role, Object.keys(roles))}`;
      problems.push({ step: hash, role, violations: [violation] });
      continue;
    }
    const output = { type: definition.meta, payload: context.steps[place]?.output ?? null, timestamp };
    const found = attempt(() => findViolations(store, output, payload.output));
    if (!found.ok) return found;
    if (found.value.length > 0) problems.push({ step: hash, role, violations: found.value });
    else if (problems.length === 0) fits = hash;
    outputs.push(output);
  }
  return problems.length === 0
    ? ok(outputs)
    : err(fault("STEPS_DO_NOT_FIT", { workflow: named, problems, fits }));
}

/** The history rewritten step by step, on its own StartNode. */
function chained({ chain, workflow }: Question, outputs: readonly CasNode[]): Rewrite {
  const started = { workflow: workflow.hash, prompt: chain.start.payload.prompt };
  const hash = computeHash(TYPE.startNode, started);
  const start = { hash, payload: started, timestamp: chain.start.timestamp };
  const steps: RewrittenStep[] = [];
  for (const [place, output] of outputs.entries()) {
    const step = chain.steps[place];
    if (step === undefined) break;
    const { role, detail, agent } = step.payload;
    const prev = steps.at(-1)?.hash ?? null;
    const hashOfOutput = computeHash(output.type, output.payload);
    const payload = { start: start.hash, prev, role, output: hashOfOutput, detail, agent };
    const hash = computeHash(TYPE.stepNode, payload);
    steps.push({ hash, payload, timestamp: step.timestamp, from: step.hash, output });
  }
  return { head: steps.at(-1)?.hash ?? start.hash, start, steps };
}

/** Does not report the step's own nodes, which are recorded. Throws `CasError` if the store cannot be read. */
function findViolations(store: Store, output: CasNode, recorded: CasRef): readonly string[] {
  if (computeHash(output.type, output.payload) === recorded) return [];
  const violations = validate(store, output).map(violationMessage);
  if (violations.length > 0) return violations;
  const look = { seen: new Set<string>(), isOld: () => false, most: Infinity };
  return brokenReferences(store, [{ name: "output", hash: null, node: output }], look).map(
    ({ field, hash, reason }) => `${field} ${hash} ${reason}`,
  );
}

/** The store as it is once the schemas are in it, too. */
function withSchemas(cas: Store, schemas: readonly JsonObject[]): Store {
  const nodes = new Map<CasRef, CasNode>(
    schemas.map((payload) => [
      computeHash(META_SCHEMA_HASH, payload),
      { type: META_SCHEMA_HASH, payload, timestamp: 0 },
    ]),
  );
  return { ...cas, get: (hash) => nodes.get(hash) ?? cas.get(hash) };
}

/**
 * Writes the nodes, references first; the workflow is already stored. Each keeps the time of the node it replaces:
 * the work is as old as it was, and the new thread has not done it.
 */
export function writeRewrite(storage: Storage, { start, steps }: Rewrite): Promise<Result<void, Fault>> {
  let time = start.timestamp;
  const past = openStorage(storage.root, { now: () => time });
  return attemptAsync(() =>
    past.cas.together(async (cas) => {
      await putNode(cas, "startNode", start.payload);
      for (const { output, payload, timestamp } of steps) {
        time = timestamp;
        await cas.put(output.type, output.payload);
        await putNode(cas, "stepNode", payload);
      }
    }),
  );
}

type Planned = { readonly rewrite: Rewrite; readonly next: string };

/**
 * The history under the other workflow, which a person has named, and its next role; fails if a step does not fit it, or the
 * thread would be stuck again. Writes nothing.
 */
export async function planOnto(
  cas: Store,
  chain: Chain,
  workflow: AssembledWorkflow,
  named: string,
): Promise<Result<Planned, Fault>> {
  const context = readContext(cas, chain);
  if (!context.ok) return context;
  const question = { chain, context: context.value, workflow, named };
  const outputs = outputsUnder(cas, question);
  if (!outputs.ok) return outputs;
  const rewrite = chained(question, outputs.value);
  const decision = await decide(workflow.payload, { ...context.value, start: rewrite.start.payload });
  if (!decision.ok) return err(failedAt(chain.head, decision.error));
  return ok({ rewrite, next: targetName(decision.value) });
}
