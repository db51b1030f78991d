import { type JsonValue, walk } from "@uncaged/json-cas";
import type { CasRef } from "@uncaged/workflow-protocol";
import { expandDetail, openStorage, type Storage } from "@uncaged/workflow-store";
import { USAGE } from "./move.js";
import { EXPECTED, type Expected, TASK, TOOL_RESULT } from "./script.js";
import type { Tally } from "./tally.js";
import type { Subject } from "./types.js";

type Step = { readonly hash: CasRef; readonly role: string; readonly detail: CasRef };

/** What is looked at in a step's detail. */
type Detail = {
  readonly sessionId: string | null;
  readonly turns: readonly {
    readonly toolCalls: readonly { readonly result: { readonly text: string } }[];
  }[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
};

/** Whether everything that happened can be reached from each step of the thread. */
export function judgeTrace(subject: Subject, root: string, head: string, tally: Tally): void {
  const storage = openStorage(root, { now: Date.now });
  const steps = stepsOf(storage, head as CasRef);
  const roles = EXPECTED.map(({ role }) => role);
  tally.equal(
    "the steps are those of the script",
    steps.map(({ role }) => role),
    roles,
  );
  const details = steps.map(({ detail }) => detailOf(storage, detail));
  for (const [at, step] of steps.entries()) {
    const expected = EXPECTED[at];
    const detail = details[at];
    if (expected === undefined || detail === undefined) continue;
    judgeStep(storage, step, expected, tally);
    judgeDetail(subject, detail, expected, tally);
    if (expected.continues === null) continue;
    const before = details[expected.continues]?.sessionId ?? null;
    const goesOn = before !== null && detail.sessionId === before;
    tally.holds(`${step.role}, again: the same session`, goesOn, `${before} and then ${detail.sessionId}`);
  }
}

function stepsOf(storage: Storage, head: CasRef): readonly Step[] {
  const steps: Step[] = [];
  for (let hash: CasRef | null = head; hash !== null; ) {
    type Payload = { readonly role: string; readonly detail: CasRef; readonly prev: CasRef | null };
    const payload: Payload | undefined = storage.cas.get(hash)?.payload as Payload | undefined;
    if (payload === undefined) break;
    steps.unshift({ hash, role: payload.role, detail: payload.detail });
    hash = payload.prev;
  }
  return steps;
}

function detailOf(storage: Storage, hash: CasRef): Detail {
  const detail = expandDetail(storage.cas, hash);
  if (!detail.ok) throw new Error(JSON.stringify(detail.error));
  return detail.value as JsonValue as unknown as Detail;
}

function judgeStep(storage: Storage, { hash, role }: Step, { replies, tools }: Expected, tally: Tally): void {
  const texts: string[] = [];
  const missing: string[] = [];
  walk(storage.cas, hash, (visited) => {
    if (visited.node === null) missing.push(visited.hash);
    const { text } = (visited.node?.payload ?? {}) as { readonly text?: unknown };
    if (typeof text === "string") texts.push(text);
  });
  const reached = (text: string): boolean => texts.some((one) => one.includes(text));
  tally.equal(`${role}: nothing that a walk reaches is missing`, missing, []);
  tally.holds(
    `${role}: a walk reaches the prompt`,
    reached("# Deliverable format") && reached(TASK),
    "it does not",
  );
  for (const reply of replies) {
    tally.holds(
      `${role}: a walk reaches the reply ${JSON.stringify(reply.slice(-20))}`,
      reached(reply),
      "it does not",
    );
  }
  if (tools > 0)
    tally.holds(`${role}: a walk reaches the tool's result`, reached(TOOL_RESULT), "it does not");
}

function judgeDetail(subject: Subject, detail: Detail, { role, tools, calls }: Expected, tally: Tally): void {
  const results = detail.turns.flatMap(({ toolCalls }) => toolCalls.map(({ result }) => result.text.trim()));
  tally.equal(
    `${role}: the tool calls with their results`,
    results.map((text) => text.includes(TOOL_RESULT)),
    new Array(tools).fill(true),
  );
  if (!subject.tellsUsage) return;
  const expected = [calls * USAGE.prompt_tokens, calls * USAGE.completion_tokens];
  const { usage } = detail;
  tally.equal(
    `${role}: usage, cached tokens included`,
    usage && [usage.inputTokens, usage.outputTokens],
    expected,
  );
}
