import { type Hash, isObject, type JsonObject, putSchema } from "@uncaged/json-cas";
import { err, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { putNode, readReply, type StepNode, TYPE } from "@uncaged/workflow-store";
import { REVIEW_META, REVIEWER, readTrace, sessionIn } from "./scratch.js";
import type { Case, CheckThread, Lab, Ran, Variation, Verdict } from "./types.js";

function fine(says: string): Verdict {
  return { status: "ok", says };
}

export function skipped(says: string): Verdict {
  return { status: "skipped", says };
}

function failing(says: string, fix: string): Verdict {
  return { status: "failed", says, fix };
}

/** What is wrong with a run that ought to have made a step; `null` when nothing is. */
export function wrongWith(ran: Ran): Verdict | null {
  const { step } = ran;
  if (ran.outcome === DID_NOT_EXIT)
    return failing(
      `it ${ran.outcome}`,
      "exit once the hash is printed: close connections, timers and children",
    );
  if (ran.code !== 0)
    return failing(`it ${ran.outcome}${lastWords(ran)}`, "a run that has done its work exits with 0");
  if (!step.ok)
    return failing(
      `it exited with 0, but ${step.reason}`,
      "print the hash of the new StepNode as the last line, after everything else",
    );
  return misbehaved(ran);
}

const DID_NOT_EXIT = "printed the step, but did not exit";

/** What no run may do, however it ends. */
function misbehaved(ran: Ran): Verdict | null {
  const [file] = ran.touched;
  if (file !== undefined)
    return failing(`it changed ${file}`, "an agent writes nodes only; the head is moved by uwf");
  const [leak] = ran.leaked;
  if (leak !== undefined)
    return failing(
      `the value of ${leak.name}, a key, is in its ${kindOf(leak.type)} ${leak.node}`,
      "before you store anything, put [redacted:<NAME>] in place of the values that UWF_KEY_NAMES and the storage root's .env name",
    );
  if (ran.left === 0) return null;
  return failing(
    `${ran.left} of its processes were still there when it had ended`,
    "end your children before you exit",
  );
}

function kindOf(type: Hash): string {
  switch (type) {
    case TYPE.content:
      return "content node";
    case TYPE.reactSession:
    case TYPE.extractedSession:
      return "react-session";
    case TYPE.reactTurn:
      return "react-turn";
    case TYPE.reactToolCall:
      return "react-tool-call";
    case TYPE.stepNode:
      return "step";
    default:
      return "output";
  }
}

/** The agent's last words, as a part of a sentence: its error, else the last line of its stderr. */
function lastWords({ stderr }: Ran): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("hint: "));
  const from = lines.findLastIndex((line) => line.startsWith("error["));
  const words = lines.slice(from === -1 ? -1 : from).map((line) => line.trim());
  return words.length === 0 ? ", and said nothing on stderr" : `: ${words.join(" ").slice(0, 300)}`;
}

type Wrong = readonly [what: string, variation: Partial<Variation>, code: number];

const NO_THREAD = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** A hash that does not occur in the thread. */
const OTHER_HEAD = "0000000000000";

const WRONG: readonly Wrong[] = [
  ["a thread that does not exist", { thread: NO_THREAD }, 3],
  ["a role that the workflow does not have", { role: "no-such-role" }, 4],
  ["a head that has moved (UWF_HEAD)", { head: OTHER_HEAD }, 75],
];

/** Checks that an impossible task ends with a status other than 0, and makes no step. */
const exitCodes: Case = {
  name: "exit-codes",
  needsGood: false,
  run: async (lab) => {
    const messages: string[] = [];
    for (const [what, variation, code] of WRONG) {
      const ran = await lab.playNew(variation);
      const fix = `for ${what} exit with another status than 0 (the codes of uwf say ${code}), before any work is done`;
      if (ran.code === 0) return failing(`for ${what} it exited with 0`, fix);
      if (ran.code === null) return failing(`for ${what} it ${ran.outcome}`, fix);
      const bad = misbehaved(ran);
      if (bad !== null) return bad;
      messages.push(`${ran.code} for ${what}${ran.code === code ? "" : ` (${code} in uwf's table)`}`);
    }
    return fine(messages.join(", "));
  },
};

const goodReply: Case = {
  name: "good-reply",
  needsGood: false,
  run: async (lab) => {
    const { ran } = await lab.good();
    const wrong = wrongWith(ran);
    if (wrong !== null || !ran.step.ok) return wrong ?? failing(ran.outcome, "");
    const { hash, payload } = ran.step.node;
    const reply = readReply(lab.storage.cas, payload.detail);
    if (!reply.ok || reply.value === null) {
      return failing(
        "its detail leads to no reply",
        "let detail be a content node with the reply, or a react-session",
      );
    }
    const by = sessionIn(lab.storage, payload.detail)?.agent ?? payload.agent;
    return fine(`step ${hash} by ${by}; ${readTrace(lab.storage, payload.detail)}`);
  },
};

/** DEBUG and colours make programs verbose; the hash must still come through. */
const TALKATIVE = { DEBUG: "*", FORCE_COLOR: "1", CLICOLOR_FORCE: "1" };

const noise: Case = {
  name: "noise",
  needsGood: true,
  run: async (lab) => {
    const ran = await lab.playNew({ env: TALKATIVE });
    const wrong = wrongWith(ran);
    if (wrong !== null) return wrong;
    return tooMuchNoise(ran) ?? fine(`with DEBUG=* and FORCE_COLOR=1: ${linesBefore(ran)}, then the hash`);
  },
};

function tooMuchNoise({ stdout }: Ran): ReturnType<typeof failing> | null {
  if (Buffer.byteLength(stdout) < LIMITS.agentStdoutTail) return null;
  return failing(
    "it writes 64 KiB and more to stdout",
    "write everything but the result to stderr: uwf reads only the last 64 KiB of stdout",
  );
}

function linesBefore({ stdout }: Ran): string {
  const lines = stdout.split("\n").filter((line) => line.trim() !== "").length - 1;
  return lines === 1 ? "1 line of noise" : `${lines} lines of noise`;
}

/** More than one argument of a command line can hold (128 KiB). */
const LONG_BYTES = 300_000;

const longPrompt: Case = {
  name: "long-prompt",
  needsGood: true,
  run: async (lab) => {
    const ran = await lab.playNew({}, { task: longTask(lab) });
    const fix =
      "hand the prompt on through stdin or a file: one argument holds no more than 128 KiB on Linux";
    if (ran.code !== 0) return failing(`with a task of ${LONG_BYTES} bytes it ${ran.outcome}`, fix);
    return wrongWith(ran) ?? fine(`a task of ${LONG_BYTES} bytes`);
  },
};

function longTask({ request }: Lab): string {
  const line = "This line is only here to make the task long; nothing is to be done about it.\n";
  return `${request.task}\n\n${line.repeat(Math.ceil(LONG_BYTES / line.length))}\n${request.task}`;
}

/**
 * Keys get into prompts and replies by accident; here the task itself contains them. Every run of the check looks
 * for them.
 */
const keys: Case = {
  name: "keys",
  needsGood: true,
  run: async (lab) => {
    const words = lab.keys.map(({ value }) => value).join(" ");
    const task = `${lab.request.task}\n\nThe text has these words in it, as they are: ${words}`;
    const ran = await lab.playNew({}, { task });
    return wrongWith(ran) ?? fine("the keys of the environment and of .env are in no node");
  },
};

/** When SIGTERM comes at the latest: earlier with every try, for agents that were through before. */
const TRIES_MS = [5000, 1000, 100];

export const kill: Case = {
  name: "kill",
  needsGood: false,
  run: async (lab) => {
    for (const afterMs of TRIES_MS) {
      const task = afterMs === TRIES_MS[0] ? null : slowTask(lab);
      const ran = await lab.playNew({ interruptAfterMs: afterMs }, { task });
      if (!ran.interrupted && ran.code !== 0)
        return skipped("not tried: it had failed before the kill, see good-reply");
      const wrong = ran.interrupted ? wrongAfterKill(lab, ran) : null;
      if (wrong !== null) return wrong;
      if (ran.interrupted && !ran.step.ok) return fine(`it ended within ${lab.graceMs / 1000} s of SIGTERM`);
    }
    return skipped(
      `not tried: in ${TRIES_MS.length} runs the agent had ended, or made its step, before the kill`,
    );
  },
};

function wrongAfterKill(lab: Lab, ran: Ran): Verdict | null {
  const seconds = lab.graceMs / 1000;
  if (ran.endedAfterMs >= lab.graceMs) {
    const fix = "end on SIGTERM, and your children with you: they are in your process group";
    return failing(`it, or a child of it, was still there ${seconds} s after SIGTERM`, fix);
  }
  if (!ran.step.ok && ran.stdout.trim() !== "") {
    return failing(
      `it was interrupted, and ${ran.step.reason}`,
      "print the hash after everything is stored, not before",
    );
  }
  return misbehaved(ran);
}

function slowTask({ request }: Lab): string {
  return `${request.task}\n\nTake your time: after that sentence write five hundred words more on it.`;
}

/** No text has at least 2 characters and at most 1. */
const UNMEETABLE: JsonObject = { type: "string", minLength: 2, maxLength: 1 };

/** With any reply a required field is missing or invalid, so the run has to fail and say why. */
const missingField: Case = {
  name: "missing-field",
  needsGood: true,
  run: async (lab) => {
    const ran = await lab.playNew({}, { meta: withUnmeetable(lab.meta) });
    const fix =
      "validate the output against the role's meta before anything is stored; without a valid one exit with another status than 0";
    if (ran.code === 0)
      return failing("it exited with 0, although no reply can satisfy the role's meta", fix);
    if (ran.code === null) return failing(`it ${ran.outcome}`, fix);
    return misbehaved(ran) ?? fine(`it ${ran.outcome}${lastWords(ran)}`);
  },
};

function withUnmeetable(meta: JsonObject): JsonObject {
  const { properties = {}, required = [] } = meta;
  const fields = isObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required : [];
  return { ...meta, properties: { ...fields, unmeetable: UNMEETABLE }, required: [...names, "unmeetable"] };
}

const version: Case = {
  name: "version",
  needsGood: false,
  run: async ({ ask }) => {
    const { code, outcome, stdout } = await ask(["--version"]);
    const lines = stdout.split("\n").filter((line) => line.trim() !== "");
    const fix =
      "with --version alone print one line and exit with 0 within three seconds: uwf doctor asks so";
    if (code !== 0) return failing(`with --version it ${outcome}`, fix);
    return lines.length === 1
      ? fine(lines[0] ?? "")
      : failing(`--version printed ${lines.length} lines`, fix);
  },
};

type Visit = { readonly thread: CheckThread; readonly node: StepNode };

/** The role's second visit, after a step of another role; further visits if its usage looks like the session's. */
const resume: Case = {
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
const lostSession: Case = {
  name: "lost-session",
  needsGood: true,
  run: async (lab) => {
    const first = await firstVisit(lab);
    const known = first === null ? null : sessionOf(lab, first);
    if (first === null || known === null) return skipped("the agent reports no session id");
    const lost = anotherId(known);
    const thread = await lab.newThread();
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
  const detail = await putNode(cas, "content", {
    text: `---\napproved: false\ncomments: ${comments}\n---\n`,
  });
  const { start } = thread;
  const step = { start, prev: visit, role: REVIEWER, output, detail, agent: "uwf-agent-check" };
  return lab.advance(visited, await putNode(cas, "stepNode", step));
}

/** A first visit like the agent's own, in a session that never was. */
async function putVisit(
  lab: Lab,
  { start, role }: CheckThread,
  like: StepNode,
  sessionId: string,
): Promise<Hash> {
  const { cas } = lab.storage;
  const text = await putNode(cas, "content", { text: "It was done." });
  const detail = await putNode(cas, "reactSession", {
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
  return putNode(cas, "stepNode", { ...like.payload, start, prev: null, role, detail });
}

/** An id of the same form: agents reject others before they look for a session. */
function anotherId(id: string): string {
  const digits = id.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
  return digits === id ? `${id}0` : digits;
}

/** In the order in which they are run: what costs nothing comes first. */
export const CASES: readonly Case[] = [
  version,
  exitCodes,
  goodReply,
  missingField,
  longPrompt,
  keys,
  resume,
  lostSession,
  kill,
  noise,
];
