import { type Hash, putSchema } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { putContent, putReactSession, putStep, type StepNode } from "@uncaged/workflow-store";
import { REVIEW_META, REVIEWER, sessionIn } from "./scratch.js";
import type { Case, CheckThread, Lab, Verdict } from "./types.js";
import { failing, fine, skipped, wrongWith } from "./verdict.js";

type Visit = { readonly thread: CheckThread; readonly node: StepNode };

/** The role's second visit, after a step of another role; further visits if its usage looks like the session's. */
export const resume: Case = {
  name: "resume",
  needsGood: true,
  run: async (lab) => {
    const first = await firstVisit(lab);
    if (first === null) return skipped("the good reply failed");
    const second = await visitAgain(lab, first.thread, first.node.hash);
    if (!second.ok) return second.error;
    const before = sessionOf(lab, first);
    const after = sessionOf(lab, second.value);
    if (before === null)
      return fine("the second visit made a step, with the complete history: the agent reports no session id");
    if (before !== after)
      return fine(`the second visit made a step in another session, ${after ?? "which it does not name"}`);
    return (
      (await lifelong(lab, [first, second.value])) ?? fine(`the second visit continued session ${before}`)
    );
  },
};

/** Usage can grow from one visit to the next by chance, but hardly at each of this many visits that ask for less. */
const VISITS = 4;

/** What is wrong if the usage of a step is that of the complete session; `null` if it is not. */
async function lifelong(lab: Lab, visits: readonly [Visit, ...Visit[]]): Promise<Verdict | null> {
  const usages = visits.map(({ node }) => sessionIn(lab.storage, node.payload.detail)?.usage);
  const inputs = usages.map((usage) => usage?.inputTokens ?? 0);
  const outputs = usages.map((usage) => usage?.outputTokens ?? 0);
  if (!grows(inputs) || !grows(outputs)) return null;
  if (visits.length < VISITS) {
    const { thread, node } = visits.at(-1) ?? visits[0];
    const next = await visitAgain(lab, thread, node.hash);
    return next.ok ? lifelong(lab, [...visits, next.value]) : next.error;
  }
  if (!doubles(inputs) || !doubles(outputs)) return null;
  return failing(
    `its usage grows with every visit, as if it were the session's: ${inputs.join(", ")} input tokens`,
    "let a step report only its own usage: subtract that of the session's earlier steps (context.sessionUsage of the kit)",
  );
}

function grows(counts: readonly number[]): boolean {
  return counts.every((count, at) => at === 0 || count > (counts[at - 1] ?? 0));
}

function doubles(counts: readonly number[]): boolean {
  return (counts.at(-1) ?? 0) >= 2 * (counts[0] ?? 0);
}

async function visitAgain(lab: Lab, thread: CheckThread, visit: Hash): Promise<Result<Visit, Verdict>> {
  const reviewed = await afterReview(lab, thread, visit);
  const ran = await lab.play(reviewed, {});
  const wrong = wrongWith(ran);
  return wrong === null && ran.step.ok
    ? ok({ thread: reviewed, node: ran.step.node })
    : err(wrong ?? skipped(ran.outcome));
}

function sessionOf({ storage }: Lab, { node }: Visit): string | null {
  return sessionIn(storage, node.payload.detail)?.sessionId ?? null;
}

/** The session of the first visit is gone: a fresh one has to do. */
export const lostSession: Case = {
  name: "lost-session",
  needsGood: true,
  run: async (lab) => {
    const first = await firstVisit(lab);
    const known = first === null ? null : sessionOf(lab, first);
    if (first === null || known === null) return skipped("the agent reports no session id");
    const lost = anotherId(known);
    const thread = await lab.newThread({ task: null, meta: null });
    const visit = await putVisit(lab, thread, first.node, lost);
    const next = await visitAgain(lab, thread, visit);
    if (!next.ok) return next.error;
    if (sessionOf(lab, next.value) === lost) {
      return failing(
        `it claims to have continued session ${lost}, which never existed`,
        'start a new session with the complete prompt, and report its id; with the kit let continue return { kind: "failed", sessionLost: true, fault }',
      );
    }
    return fine(`session ${lost}, which never existed, did not keep it from making a step`);
  },
};

async function firstVisit(lab: Lab): Promise<Visit | null> {
  const { thread, ran } = await lab.good();
  return ran.code === 0 && ran.step.ok ? { thread, node: ran.step.node } : null;
}

/** The thread after the visit and a step of the reviewer, who rejects it. */
async function afterReview(lab: Lab, thread: CheckThread, visit: Hash): Promise<CheckThread> {
  const visited = await lab.advance(thread, visit);
  const { cas } = lab.storage;
  const comments = "Say it in fewer words, please; everything else is as it was.";
  const output = await cas.put(await putSchema(cas, REVIEW_META), { approved: false, comments });
  const detail = await putContent(cas, `---\napproved: false\ncomments: ${comments}\n---\n`);
  const { start } = thread;
  const step = { start, prev: visit, role: REVIEWER, output, detail, agent: "uwf-agent-check" };
  return lab.advance(visited, await putStep(cas, step));
}

/** A first visit like the agent's own, in a session that never was. */
async function putVisit(
  lab: Lab,
  { start, role }: CheckThread,
  like: StepNode,
  sessionId: string,
): Promise<Hash> {
  const { cas } = lab.storage;
  const text = await putContent(cas, "It was done.");
  const detail = await putReactSession(cas, {
    agent: sessionIn(lab.storage, like.payload.detail)?.agent ?? like.payload.agent,
    role,
    sessionId,
    cwd: lab.cwd,
    model: null,
    prompt: text,
    turns: [],
    raw: text,
    usage: null,
    startedAt: lab.storage.now(),
    durationMs: 1,
  });
  return putStep(cas, { ...like.payload, start, prev: null, role, detail });
}

/** An id of the same form: agents reject others before they look for a session. */
function anotherId(id: string): string {
  const digits = id.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
  return digits === id ? `${id}0` : digits;
}
