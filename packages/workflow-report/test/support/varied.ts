import type { ThreadId } from "@uncaged/workflow-protocol";
import type { ThreadFacts } from "../../src/index.js";
import { facts, failure, hash, MINUTE, step, T0 } from "./facts.js";

/** A thread in which everything happens that a report has a form for. */
export function varied(): ThreadFacts {
  const answer = {
    by: "ada",
    at: T0 + 40 * MINUTE,
    via: "field",
    question: "Is it good?",
    askedAt: T0 + 5 * MINUTE,
    timedOut: false,
  };
  const looked = { condition: "rejected", expression: "steps[-1].output.approved = false", error: null };
  const decision = [
    { ...looked, role: "writer", value: false, taken: false },
    { ...looked, role: "writer", value: null, error: "it has no value", taken: false },
    { role: "$END", condition: null, expression: null, value: true, error: null, taken: true },
  ];
  const texts = [{ title: "Prompt", text: "Write a note" }];
  const long = "A line of a long text. ".repeat(200);
  const children = ENDS.map((ended, item) => ({
    role: "reviewer",
    item,
    head: hash("writer-1"),
    thread: facts([step("writer", 2, { timestamp: T0 + 2 * MINUTE })], {
      thread: `01KAJ5E8ZJ4N7XK3M9T2V6W8Z${item}` as ThreadId,
      ...ended,
    }),
  }));
  return facts(
    [
      step("writer", 1, {
        timestamp: T0 - MINUTE,
        texts,
        output: { text: "An old note", list: ["a", 1], gone: 1 },
      }),
      step("reviewer", 3, { answer, free: true, reply: "Not yet.", output: { approved: false }, decision }),
      step("writer", 50, {
        ...{ model: "a-model", cwd: "/somewhere", texts, decision, reply: long },
        extract: { model: "small", usage: null },
        output: { text: "A new note", list: ["a", 2], more: long },
        usage: null,
      }),
    ],
    {
      decision,
      children,
      failures: [
        failure("writer", 45, { head: hash("reviewer-3"), stderr: "no such file", outcome: "abandoned" }),
        failure("reviewer", 60, { head: hash("writer-50") }),
      ],
      state: "held",
      at: { node: "reviewer", state: "waiting" },
      held: {
        ...{ for: "answer", role: "reviewer", question: "Is it good now?", threads: [] },
        ...{ since: T0, waitingSince: T0, until: null, limit: null },
      },
    },
  );
}

const ENDS: readonly Partial<ThreadFacts>[] = [
  { state: "ended", ended: { reason: "end", at: T0 + 3 * MINUTE }, at: null },
  { state: "failed", ended: { reason: "failed", at: T0 + 3 * MINUTE }, at: null },
  {
    state: "killed",
    ended: { reason: "killed", at: T0 + 3 * MINUTE },
    at: { node: "writer", state: "killed" },
  },
  { state: "failing", at: { node: "reviewer", state: "stuck" } },
  { state: "held", at: { node: "reviewer", state: "waiting" } },
  {},
];
