import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SCRIPT_RUNNER } from "../../cli-workflow/test/support/uwf.js";
import { makeHost } from "../../workflow-agent-kit/test/helpers/host.js";
import { expandDetail, readChainNode, runAgent } from "../../workflow-agent-kit/test/helpers/run.js";
import type { TestThread } from "../../workflow-agent-kit/test/helpers/thread.js";
import { acpAgent, type Times } from "../src/index.js";

export { makeThread, REVIEW_META, type TestThread } from "../../workflow-agent-kit/test/helpers/thread.js";

export const VALID = "---\napproved: true\n---\nFine.";

/** Long enough for a busy machine where nothing is to end by time. */
export const TIMES: Times = { startMs: 30_000, graceMs: 300, cancelMs: 200, quietMs: 50 };

// Speaks the protocol; a test's own lines come after it and change what is not to be polite.
const PRELUDE = `#!${SCRIPT_RUNNER}
const { appendFileSync } = require("node:fs");
const say = (message) => process.stdout.write((typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })) + "\\n");
const update = (update) => say({ method: "session/update", params: { sessionId: "s1", update } });
const text = (text, messageId) => update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
const answers = new Map();
let asked = 0;
const ask = (method, params) => new Promise((resolve) => { asked += 1; answers.set("q" + asked, resolve); say({ id: "q" + asked, method, params }); });
const on = {
  "initialize": () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true }, agentInfo: { name: "fake", version: "1.2" }, authMethods: [] }),
  "session/new": () => ({ sessionId: "s1" }),
  "session/load": () => ({}),
  "session/prompt": () => { text(${JSON.stringify(VALID)}); return { stopReason: "end_turn" }; },
  "session/cancel": () => {},
};
const refuse = (code, message, data) => { throw { code, message, data }; };
const receive = async (line) => {
  appendFileSync(__dirname + "/received.jsonl", line + "\\n");
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return answers.get(id)?.(error === undefined ? result : { error });
  try {
    const given = await on[method](params, id);
    if (id !== undefined && given !== undefined) say({ id, result: given });
  } catch (error) {
    say({ id, error });
  }
};
let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines) receive(line);
});
appendFileSync(__dirname + "/started", process.pid + "\\n");
`;

export type FakeAgent = {
  /** A program to name after \`--\`. */
  readonly command: string;
  /** What it was sent, in order. */
  readonly received: () => readonly Record<string, unknown>[];
  readonly methods: () => readonly unknown[];
  /** The pids of its processes, in order. */
  readonly started: () => readonly number[];
};

/** An executable that speaks the protocol, changed by `body`. */
export function makeAgent(root: string, body: string): FakeAgent {
  const dir = join(root, "fake");
  mkdirSync(dir, { recursive: true });
  const command = join(dir, "agent.cjs");
  writeFileSync(command, PRELUDE + body);
  chmodSync(command, 0o755);
  const linesOf = (name: string): readonly string[] =>
    readFileSync(join(dir, name), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  const received = () => linesOf("received.jsonl").map((line) => JSON.parse(line));
  return {
    command,
    received,
    methods: () => received().map(({ method }) => method),
    started: () => linesOf("started").map(Number),
  };
}

export type Ran = {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly shown: string;
};

type Settings = {
  readonly times?: Partial<Times>;
  readonly options?: readonly string[];
  /** Interrupts the run once it says yes. */
  readonly interruptWhen?: () => boolean;
};

/** Runs uwf-acp over an agent in this process, as its binary would. */
export async function run(
  made: TestThread,
  command: readonly string[],
  settings: Settings = {},
): Promise<Ran> {
  const { times = {}, options = [], interruptWhen } = settings;
  const host = makeHost([...options, "--", ...command, made.thread, "reviewer"], made.root, {
    PATH: process.env.PATH ?? "",
    HOME: made.root,
  });
  const lines: string[] = [];
  const agent = acpAgent({
    cwd: made.root,
    now: Date.now,
    stderr: (line) => void lines.push(line),
    version: "0.0.0",
    times: { ...TIMES, ...times },
  });
  const timer = setInterval(() => {
    if (interruptWhen?.() === true) host.interrupt("SIGTERM");
  }, 20);
  const { run: begin, continue: resume } = agent;
  // As patient as the real process.
  const code = await runAgent({ name: "uwf-acp", run: begin, continue: resume }, { ...host, graceMs: 5000 });
  clearInterval(timer);
  agent.close();
  return { code, ...host.written, shown: lines.join("\n") };
}

export function stepOf(made: TestThread, out: string) {
  const step = readChainNode(made.storage.cas, out.trim() as never);
  if (!step.ok || step.value.kind !== "step") throw new Error(`no step: ${out}`);
  const detail = expandDetail(made.storage.cas, step.value.payload.detail);
  if (!detail.ok) throw new Error("no detail");
  return { output: made.storage.cas.get(step.value.payload.output)?.payload, detail: detail.value };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
