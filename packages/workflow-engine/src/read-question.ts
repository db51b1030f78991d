import { type JsonValue, resolveHash } from "@uncaged/json-cas";
import { decide } from "@uncaged/workflow-moderator";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt, findThread, fullHistory, openHistory, readWorkFolder } from "@uncaged/workflow-store";
import { buildQuestion } from "./question.js";
import {
  asksAt,
  decideAtHead,
  notAsked,
  planNext,
  playerOf,
  type StepDeps,
  type StepRequest,
} from "./step/index.js";

/** The question that a person has to answer: as a role, at a head. */
export type Asked = {
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly role: string;
  readonly question: string;
  /** The JSON Schema of the answer. */
  readonly meta: JsonValue;
};

type QuestionRequest = {
  readonly thread: string;
  /** `null`: the thread's head. */
  readonly head: string | null;
  /** `null`: whichever role is asked. */
  readonly role: string | null;
  /** Whether a person answers in the place of an agent. */
  readonly takeOver: boolean;
  /** Whether commands in faults ask at the remote. */
  readonly remote: boolean;
};

/** Reads the question without a lock; the step that takes the answer decides again, under the lock. */
export async function readQuestion(
  deps: Pick<StepDeps, "storage" | "host" | "warn">,
  request: QuestionRequest,
  asStep: StepRequest,
): Promise<Result<Asked, Fault>> {
  const { storage, host } = deps;
  const { cwd } = host;
  const { remote } = request;
  const state = await findThread(storage, request.thread, cwd, "change");
  if (!state.ok) return state;
  const { thread, head: now } = state.value;
  if (state.value.kind === "ended") return err(fault("THREAD_ENDED", { thread, reason: state.value.reason }));
  const head = request.head === null ? ok(now) : attempt(() => resolveHash(storage.cas, request.head ?? ""));
  if (!head.ok) return head;
  const chain = openHistory(storage.cas, head.value);
  if (!chain.ok) return chain;
  const history = fullHistory(storage, thread, chain.value, "read");
  const { payload } = chain.value.workflow;
  const decision = await decideAtHead({ storage, chain: chain.value, history }, (seen) =>
    decide(payload, seen),
  );
  if (!decision.ok) return decision;
  if (decision.value.kind === "end")
    return err(fault("NOT_ASKED", { thread, role: null, player: null, instead: null, remote }));
  const { role } = decision.value;
  if (request.role !== null && request.role !== role)
    return err(
      fault("INVALID_INPUT", {
        what: `--role ${request.role}`,
        reason: `${role} is asked`,
        hint: `answer as ${role}: \`uwf thread answer ${thread} --show${remote ? " --remote" : ""}\``,
      }),
    );
  const place = { thread, head: head.value, role };
  // If the question is gone, the step says who has answered it.
  if (!request.takeOver && head.value === now && !asksAt(storage, place)) {
    const folder = readWorkFolder(storage, thread);
    if (!folder.ok) return folder;
    const planned = await planNext(deps, { role, workflow: payload, cwd: folder.value ?? cwd }, asStep);
    if (!planned.ok && planned.error.code !== "NO_AGENT") return planned;
    if (!planned.ok || planned.value.human === null)
      return err(notAsked(storage, place, planned.ok ? playerOf(planned.value) : null, remote));
  }
  const asked = buildQuestion(storage.cas, chain.value, role);
  return asked.ok ? ok({ ...place, ...asked.value }) : asked;
}
