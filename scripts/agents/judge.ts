import { isDeepStrictEqual } from "node:util";
import { walk } from "@uncaged/json-cas";
import type { CasRef } from "@uncaged/workflow-protocol";
import { expandDetail, openStorage, readChain, type Storage } from "@uncaged/workflow-store";
import { type FakeLlm, type Move, USAGE } from "./fake-llm.js";
import type { Subject } from "./subjects.js";
import type { Ran } from "./world.js";

// What the model says in the thread: solve-issue with one rejected review, and everything that can come between; and
// whether that is what is left of it.

export const TASK = "parsePort takes 80x for a port. Fix it.";

/** What the shell prints when the tool has really run: the digits are put together by it. */
const TOOL_RESULT = "tool-ran-4221";

// Nothing that is substituted: gemini refuses to run such a command.
const TOOL_COMMAND = "printf 'tool-ran-%s%s\\n' 42 21";

const PLAN =
  "---\nplan: Check the whole text.\nsteps: [Check it in src/port.ts]\n---\nThe cause is parseInt.";
const BUILT = "---\nfilesChanged: [src/port.ts]\nsummary: Only whole numbers now.\n---\nFirst attempt.";
const BARE = "I looked at it, and it is not good enough yet.";
const REJECTED = "---\napproved: false\ncomments: Port 0 is still accepted.\n---\nOne point is open.";
const REBUILT = "---\nfilesChanged: [src/port.ts]\nsummary: Port 0 is refused as well.\n---\nSecond attempt.";
const APPROVED = "---\napproved: true\ncomments: Settled.\n---\nReady to be merged.";

/** One step as it has to come out: who, what was said, how often the model was asked with success. */
type Expected = {
  readonly role: string;
  readonly replies: readonly string[];
  readonly tools: number;
  readonly calls: number;
  /** The step whose session this one goes on with, by its place. */
  readonly continues: number | null;
};

export const EXPECTED: readonly Expected[] = [
  { role: "planner", replies: [PLAN], tools: 1, calls: 2, continues: null },
  { role: "developer", replies: [BUILT], tools: 1, calls: 2, continues: null },
  { role: "reviewer", replies: [BARE, REJECTED], tools: 0, calls: 2, continues: null },
  { role: "developer", replies: [REBUILT], tools: 1, calls: 2, continues: 1 },
  { role: "reviewer", replies: [APPROVED], tools: 0, calls: 1, continues: 2 },
];

/** The model's moves, one for each time it is asked. */
export function movesOf({ shell, givesUpAfter }: Subject): readonly Move[] {
  const tool = shell(TOOL_COMMAND);
  const says = (text: string): Move => ({ kind: "says", text });
  return [
    ...[tool, says(PLAN)],
    ...new Array<Move>(givesUpAfter ?? 1).fill({ kind: "fails", status: 500 }),
    ...[tool, says(BUILT)],
    ...[says(BARE), says(REJECTED)],
    ...[tool, says(REBUILT)],
    says(APPROVED),
  ];
}

/** Counts what was checked, and tells each check on stderr. */
export type Tally = {
  readonly counts: { passed: number; failed: number };
  readonly holds: (sentence: string, truth: boolean, otherwise: string) => void;
  readonly equal: (sentence: string, got: unknown, expected: unknown) => void;
};

export function newTally(): Tally {
  const counts = { passed: 0, failed: 0 };
  const holds: Tally["holds"] = (sentence, truth, otherwise) => {
    counts[truth ? "passed" : "failed"] += 1;
    console.error(truth ? `  ok    ${sentence}` : `  FAIL  ${sentence}: ${otherwise}`);
  };
  const equal: Tally["equal"] = (sentence, got, expected) => {
    const otherwise = `expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
    holds(sentence, isDeepStrictEqual(got, expected), otherwise);
  };
  return { counts, holds, equal };
}

export function judgeFailures({ givesUpAfter }: Subject, failures: readonly Ran[], tally: Tally): void {
  const codes = failures.map(({ code }) => code);
  if (givesUpAfter === null) {
    tally.equal("the program gets over a 500 by itself", codes, []);
    return;
  }
  const sentence = "a 500 that ends the program fails the step with 6, and the next step does it again";
  tally.equal(sentence, codes, [6]);
  const said = failures[0]?.stderr ?? "";
  tally.holds("the failure says why", /error\[AGENT_FAILED\].*500/s.test(said), said.slice(-600));
}

/** What the server was asked has to be what the script has, no more and no less. */
export function judgeServer(llm: FakeLlm, moves: number, tally: Tally): void {
  tally.equal("the model was asked as often as the script has moves", llm.asked.length, moves);
  const remembered = llm.asked.some((messages) =>
    messages.some(({ role, text }) => role === "assistant" && text.includes("First attempt.")),
  );
  tally.holds("the developer's second visit has its first one as its own words", remembered, "it has not");
}

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
  const chain = readChain(storage.cas, head as CasRef);
  if (!chain.ok) throw new Error(JSON.stringify(chain.error));
  const steps = chain.value.steps.map(({ hash, payload }) => ({ hash, ...payload }));
  const roles = steps.map(({ role }) => role);
  tally.equal(
    "the steps are those of the script",
    roles,
    EXPECTED.map(({ role }) => role),
  );
  const details = steps.map(({ detail }): Detail => {
    const expanded = expandDetail(storage.cas, detail);
    if (!expanded.ok) throw new Error(JSON.stringify(expanded.error));
    return expanded.value as unknown as Detail;
  });
  for (const [at, { hash, role }] of steps.entries()) {
    const [expected, detail] = [EXPECTED[at], details[at]];
    if (expected === undefined || detail === undefined) continue;
    judgeStep(storage, hash, expected, tally);
    judgeDetail(subject, detail, expected, tally);
    if (expected.continues === null) continue;
    const before = details[expected.continues]?.sessionId ?? null;
    const goesOn = before !== null && detail.sessionId === before;
    tally.holds(`${role}, again: the same session`, goesOn, `${before} and then ${detail.sessionId}`);
  }
}

function judgeStep({ cas }: Storage, hash: CasRef, { role, replies, tools }: Expected, tally: Tally): void {
  const texts: string[] = [];
  const missing: string[] = [];
  walk(cas, hash, (visited) => {
    if (visited.node === null) missing.push(visited.hash);
    const { text } = (visited.node?.payload ?? {}) as { readonly text?: unknown };
    if (typeof text === "string") texts.push(text);
  });
  tally.equal(`${role}: nothing that a walk reaches is missing`, missing, []);
  const reaches = (what: string, ...all: readonly string[]): void => {
    const isThere = all.every((each) => texts.some((text) => text.includes(each)));
    tally.holds(`${role}: a walk reaches the ${what}`, isThere, "it does not");
  };
  reaches("prompt", "# Deliverable format", TASK);
  for (const reply of replies) reaches(`reply ${JSON.stringify(reply.slice(-20))}`, reply);
  if (tools > 0) reaches("tool's result", TOOL_RESULT);
}

function judgeDetail(subject: Subject, detail: Detail, { role, tools, calls }: Expected, tally: Tally): void {
  const results = detail.turns.flatMap(({ toolCalls }) => toolCalls.map(({ result }) => result.text));
  const ran = results.map((text) => text.includes(TOOL_RESULT));
  tally.equal(`${role}: the tool calls with their results`, ran, new Array(tools).fill(true));
  if (!subject.tellsUsage) return;
  const { usage } = detail;
  const got = usage && [usage.inputTokens, usage.outputTokens];
  const expected = [calls * USAGE.prompt_tokens, calls * USAGE.completion_tokens];
  tally.equal(`${role}: usage, cached tokens included`, got, expected);
}
