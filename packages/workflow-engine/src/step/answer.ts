import { type Store, validate, violationMessage } from "@uncaged/json-cas";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  arrivedAt,
  attempt,
  attemptAsync,
  findBlocker,
  playsByThreads,
  putNode,
  readHold,
  type Storage,
  strangeWord,
  withAnswerFields,
} from "@uncaged/workflow-store";
import { questionText } from "../question.js";
import { isLeased } from "./stop.js";
import type { AnsweredStep, GivenAnswer, RunPlan, RunState } from "./types.js";

/** `thread answer`: the step of a person, if one is asked at this head and as this role. */
export async function answerStep(
  state: RunState,
  plan: RunPlan,
  answer: GivenAnswer,
): Promise<Result<AnsweredStep, Fault>> {
  const { thread, chain } = state;
  if (answer.head !== chain.head) {
    const by = answererAfter(state, answer.head);
    return err(fault("QUESTION_GONE", { thread, head: answer.head, by }));
  }
  const place = { thread, head: chain.head, role: plan.role };
  const isAsked = answer.takeOver || plan.human !== null || asksAt(state.storage, place);
  if (answer.role !== plan.role || !isAsked) {
    return err(notAsked(state.storage, place, playerOf(plan), isLeased(state)));
  }
  return recordAnswer(state, plan, { ...answer, timedOut: false });
}

type RolePosition = { readonly thread: ThreadId; readonly head: CasRef; readonly role: string };

/** Whether an agent has said that it waits for an answer. */
export function asksAt(storage: Storage, { thread, head, role }: RolePosition): boolean {
  const hold = readHold(storage, { thread, head });
  return hold.ok && hold.value?.for === "answer" && hold.value.role === role;
}

export function playerOf({ agent }: Pick<RunPlan, "agent">): "agent" | "workflow" {
  return playsByThreads(agent.program) ? "workflow" : "agent";
}

/** An agent comes next, or threads that it waits for: perhaps a person is asked in one of those. */
export function notAsked(
  storage: Storage,
  { thread, head, role }: RolePosition,
  player: "agent" | "workflow" | null,
  remote: boolean,
): Fault {
  const blocker = findBlocker(storage, { thread, head });
  const instead = blocker?.held.for === "answer" ? blocker.thread : null;
  return fault("NOT_ASKED", { thread, role, player, instead, remote });
}

/** Who answered the question at a head that the thread has left; `null`: unknown, or an agent went on. */
function answererAfter({ storage, chain }: RunState, head: string): string | null {
  const steps = chain.last(null);
  const next = steps.ok
    ? steps.value.find(({ payload }) => (payload.prev ?? payload.start) === head)
    : undefined;
  const detail = next === undefined ? null : attempt(() => storage.cas.get(next.payload.detail));
  const payload = detail?.ok ? detail.value?.payload : null;
  const by = typeof payload === "object" && payload !== null && "by" in payload ? payload.by : null;
  return typeof by === "string" ? by : null;
}

type Answer = Pick<GivenAnswer, "value" | "raw" | "by"> & {
  readonly via: GivenAnswer["via"] | "default";
  readonly timedOut: boolean;
};

/** Writes the answer as a StepNode. It counts when the head has moved to it. */
export async function recordAnswer(
  state: RunState,
  plan: RunPlan,
  answer: Answer,
): Promise<Result<AnsweredStep, Fault>> {
  const { storage, thread, chain, redactor } = state;
  const { role, meta } = plan;
  const { by, via, timedOut } = answer;
  const at = storage.now();
  const schema = attempt(() => storage.cas.get(meta));
  if (!schema.ok) return schema;
  const facts = { by, at, timedOut };
  const filled = withAnswerFields(schema.value?.payload ?? {}, redactor.value(answer.value), facts);
  const refusal = strangeWord(redactor, answer.value);
  if (refusal !== null) return err(invalidAnswer(state, role, [refusal]));
  const violations = attempt(() => validate(storage.cas, { type: meta, payload: filled, timestamp: 0 }));
  if (!violations.ok) return violations;
  if (violations.value.length > 0) {
    return err(invalidAnswer(state, role, violations.value.map(violationMessage)));
  }
  const askedAt = arrivedAt(storage, { thread, head: chain.head });
  const write = async (cas: Store) => {
    const output = await cas.put(meta, filled);
    const question = await putNode(cas, "content", { text: redactor.text(questionText(cas, chain, role)) });
    const raw = await putNode(cas, "content", { text: redactor.text(answer.raw) });
    const detail = await putNode(cas, "answer", { by, at, via, question, raw, askedAt, timedOut });
    const prev = chain.newest?.hash ?? null;
    return putNode(cas, "stepNode", { start: chain.start.hash, prev, role, output, detail, agent: "human" });
  };
  const hash = await attemptAsync(() => storage.cas.together(write));
  return hash.ok ? ok({ run: null, role, hash: hash.value, by }) : hash;
}

function invalidAnswer(state: RunState, role: string, violations: readonly string[]): Fault {
  return fault("INVALID_ANSWER", { thread: state.thread, role, violations, remote: isLeased(state) });
}
