import { type Hash, putSchema } from "@uncaged/json-cas";
import { putContent, putReactSession, putStep, type StepNode } from "@uncaged/workflow-store";
import { REVIEW_META, REVIEWER } from "../scratch.js";
import { agentOf, sessionIdOf } from "../trace.js";
import type { Case, CheckThread, Lab } from "../types.js";
import { fine, skipped, wrongWith } from "../verdict.js";

/** The role's second visit, after a step of another role. */
export const resume: Case = {
  name: "resume",
  needsGood: true,
  run: async (lab) => {
    const first = await firstVisit(lab);
    if (first === null) return skipped("the good reply failed");
    const ran = await lab.play(await afterReview(lab, first.thread, first.node.hash), {});
    const wrong = wrongWith(ran);
    if (wrong !== null || !ran.step.ok) return wrong ?? skipped("");
    const before = sessionIdOf(lab.storage, first.node.payload.detail);
    const after = sessionIdOf(lab.storage, ran.step.node.payload.detail);
    if (before === null)
      return fine("the second visit made a step, with the whole history: the agent tells no session id");
    if (before === after) return fine(`the second visit went on in session ${before}`);
    return fine(`the second visit made a step in another session, ${after ?? "which it does not name"}`);
  },
};

/** The session of the first visit is gone: a fresh one has to do. */
export const lostSession: Case = {
  name: "lost-session",
  needsGood: true,
  run: async (lab) => {
    const first = await firstVisit(lab);
    const known = first === null ? null : sessionIdOf(lab.storage, first.node.payload.detail);
    if (first === null || known === null) return skipped("the agent tells no session id");
    const thread = await lab.newThread({ task: null, meta: null });
    const visit = await putVisit(lab, thread, first.node, anotherId(known));
    const ran = await lab.play(await afterReview(lab, thread, visit), {});
    return (
      wrongWith(ran) ?? fine(`session ${anotherId(known)}, which never was, did not keep it from a step`)
    );
  },
};

async function firstVisit(
  lab: Lab,
): Promise<{ readonly thread: CheckThread; readonly node: StepNode } | null> {
  const { thread, ran } = await lab.good();
  return ran.code === 0 && ran.step.ok ? { thread, node: ran.step.node } : null;
}

/** The thread after the visit and a step of the reviewer, who sends it back. */
async function afterReview(lab: Lab, thread: CheckThread, visit: Hash): Promise<CheckThread> {
  const visited = await lab.advance(thread, visit);
  const { cas } = lab.storage;
  const comments = "Say it in other words, please; everything else is as it was.";
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
    agent: agentOf(lab.storage, like.payload.detail) ?? like.payload.agent,
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

/** An id of the same form: agents refuse others before they look for a session. */
function anotherId(id: string): string {
  const digits = id.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
  return digits === id ? `${id}0` : digits;
}
