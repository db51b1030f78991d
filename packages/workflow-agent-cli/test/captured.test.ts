import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FailureReason, Why } from "@uncaged/workflow-agent-kit";
import { describe, expect, it } from "vitest";
import type { Adapter } from "../src/adapters/index.js";
import { claude, codex, gemini, opencode, pi } from "../src/adapters/index.js";
import { classifyRun } from "../src/classify.js";
import { hearLine, hearWhole } from "../src/runner.js";
import { listen } from "../src/trace.js";

const FIXTURES = join(import.meta.dirname, "fixtures");

/** A captured output of the real program and everything that has to be read in it. */
type Case = {
  readonly adapter: Adapter;
  readonly out: string;
  readonly err: string | null;
  /** As the real program exited; `null`: it was ended from outside. */
  readonly code: number | null;
  readonly session: string | null;
  readonly model: string | null;
  /** What the model said in each turn, with `name(arguments) → result` of its tools. */
  readonly turns: readonly (readonly [output: string, ...tools: string[]])[];
  /** Input with cached tokens, output; of this process, or of the session so far where the CLI counts so. */
  readonly usage: readonly [input: number, output: number, costUsd: number | null] | null;
} & (
  | { readonly text: string }
  /** Words that the failure's sentence has in it. */
  | { readonly failure: string; readonly reason?: FailureReason; readonly lost?: true }
);

const HELLO = "Hello from the fake model.";
const ECHO = '{"command":"echo tool-ran-ok","description":"demo"}';
const NOTHING_TOLD = { session: null, model: null, turns: [], usage: null } as const;
/** Text mode is never asked for: an answer without a terminal record is no success. */
const UNFINISHED = {
  ...NOTHING_TOLD,
  code: 0,
  failure: "ended without a final record",
  reason: "bad-result",
} as const;

const CASES: readonly Case[] = [
  {
    ...{ adapter: claude, out: "stream.out", err: "stream.err", code: 0 },
    session: "12eb3566-9b36-4985-8abc-c833291ee989",
    model: "fake-model",
    turns: [["", `Bash(${ECHO}) → tool-ran-ok`], [HELLO]],
    usage: [215, 14, 0.0013800000000000002],
    text: HELLO,
  },
  {
    ...{ adapter: claude, out: "json.out", err: "json.err", code: 0 },
    session: "3a82805a-240f-4608-a96a-bf3ca8f4c660",
    model: null,
    turns: [],
    usage: [107, 7, 0.0006875000000000001],
    text: HELLO,
  },
  {
    ...{ adapter: claude, out: "json-tool.out", err: "json-tool.err", code: 0 },
    session: "4bcb7103-47a8-4407-97c1-bd461330b315",
    model: null,
    turns: [],
    usage: [215, 14, 0.0013800000000000002],
    text: HELLO,
  },
  {
    ...{ adapter: claude, out: "resume.out", err: "resume.err", code: 0 },
    session: "8d94f438-0cb0-4a92-999d-501994f87397",
    model: null,
    turns: [],
    usage: [107, 7, 0.0006875000000000001],
    text: "second answer",
  },
  {
    ...{ adapter: claude, out: "fail401.out", err: "fail401.err", code: 1 },
    session: "a9c5b35c-a240-4461-85b7-6c1c825b33f7",
    model: null,
    turns: [],
    usage: [0, 0, 0],
    failure: "exited with 1 (Failed to authenticate. API Error: 401 fake 401)",
    reason: "auth",
  },
  {
    ...{ adapter: claude, out: "fail500.out", err: "fail500.err", code: 1 },
    session: "699c2bf0-f1b3-4701-af6b-374309498b78",
    model: null,
    turns: [],
    usage: [0, 0, 0],
    failure: "exited with 1 (API Error: 500 fake 500.",
    reason: "network",
  },
  {
    ...NOTHING_TOLD,
    adapter: claude,
    out: "fail429.out",
    err: "fail429.err",
    code: null,
    failure: "was ended",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: claude, out: "bad.out", err: "bad.err", code: 1, lost: true },
    failure: "exited with 1 (No conversation found with session ID: 00000000",
  },
  { ...UNFINISHED, adapter: claude, out: "text.out", err: "text.err" },
  {
    ...{ adapter: codex, out: "run-tool.stdout.jsonl", err: "run-tool.stderr", code: 0 },
    session: "01a1fd91-e7ac-7072-b597-b76865771532",
    model: null,
    turns: [
      ["", `command_execution({"command":"/bin/bash -lc 'echo tool-ran-ok'"}) → tool-ran-ok\n`],
      [HELLO],
    ],
    usage: [203, 14, null],
    text: HELLO,
  },
  {
    ...{ adapter: codex, out: "resume.stdout.jsonl", err: "resume.stderr", code: 0 },
    session: "01a1fd91-e7ac-7072-b597-b76865771532",
    model: null,
    turns: [["second answer"]],
    usage: [304, 21, null],
    text: "second answer",
  },
  {
    ...{ adapter: codex, out: "schema.out", err: "schema.err", code: 0 },
    session: "01a1fd91-f9a2-7570-bbbf-29a626158cf5",
    model: null,
    turns: [[HELLO]],
    usage: [101, 7, null],
    text: HELLO,
  },
  {
    ...{ ...NOTHING_TOLD, adapter: codex, out: "fail401.out", err: "fail401.err", code: 1 },
    session: "01a1fd91-edad-7112-8e84-702fda29d5e3",
    failure: "exited with 1 (unexpected status 401 Unauthorized: fake 401, url:",
    reason: "auth",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: codex, out: "fail500.out", err: "fail500.err", code: 1 },
    session: "01a1fd91-eff4-7462-bb6c-f2cff4179a0e",
    failure: "exited with 1 (We’re currently experiencing high demand",
    reason: "network",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: codex, out: "badresume.out", err: "badresume.err", code: 1, lost: true },
    failure: "exited with 1 (Error: thread/resume: thread/resume failed: no rollout found",
  },
  { ...UNFINISHED, adapter: codex, out: "text.out", err: "text.err" },
  { ...UNFINISHED, adapter: codex, out: "last.txt", err: null },
  {
    ...{ adapter: pi, out: "run-tool.stdout.jsonl", err: "run-tool.stderr", code: 0 },
    session: "01a1fd92-a745-7658-b7a4-c5501b1e85b7",
    model: "fake-model",
    turns: [["", `bash(${ECHO}) → tool-ran-ok\n`], [HELLO]],
    usage: [203, 14, null],
    text: HELLO,
  },
  {
    ...{ adapter: pi, out: "resume.stdout.jsonl", err: "resume.stderr", code: 0 },
    session: "01a1fd92-a745-7658-b7a4-c5501b1e85b7",
    model: "fake-model",
    turns: [["second answer"]],
    usage: [101, 7, null],
    text: "second answer",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: pi, out: "fail401.out", err: "fail401.err", code: 0 },
    session: "01a1fd92-b601-73b0-8826-cd52350fbd98",
    model: "fake-model",
    failure: "reported an error (401 fake 401)",
    reason: "auth",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: pi, out: "fail500.out", err: "fail500.err", code: 0 },
    session: "01a1fd92-b9ce-705b-a009-d66646a6e972",
    model: "fake-model",
    failure: "reported an error (500 fake 500)",
    reason: "network",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: pi, out: "bad.out", err: "bad.err", code: 1, lost: true },
    failure: "exited with 1 (No session found matching 'deadbeef')",
  },
  { ...UNFINISHED, adapter: pi, out: "text.out", err: "text.err" },
  {
    ...{ adapter: opencode, out: "run-tool.stdout.jsonl", err: null, code: 0 },
    session: "ses_e026ff469ffeSK68TI3qCktRf6",
    model: null,
    turns: [["", `bash(${ECHO}) → tool-ran-ok\n`], [HELLO]],
    usage: [205, 14, null],
    text: HELLO,
  },
  {
    ...{ adapter: opencode, out: "resume.stdout.jsonl", err: null, code: 0 },
    session: "ses_e026ff469ffeSK68TI3qCktRf6",
    model: null,
    turns: [["second answer"]],
    usage: [101, 7, null],
    text: "second answer",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: opencode, out: "fail401.out", err: "fail401.err", code: 1 },
    session: "ses_e026f3cbcffeBQAwzNfhp0tXf0",
    failure: "exited with 1 (fake 401)",
    reason: "auth",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: opencode, out: "fail429.out", err: "fail429.err", code: 1 },
    session: "ses_e026ecb9fffelbQINID2tq8Ozg",
    failure: "exited with 1 (fake 429)",
    reason: "rate-limit",
  },
  {
    ...NOTHING_TOLD,
    adapter: opencode,
    out: "fail500.out",
    err: "fail500.err",
    code: null,
    failure: "was ended",
  },
  {
    ...{
      ...NOTHING_TOLD,
      adapter: opencode,
      out: "bad-session.out",
      err: "bad-session.err",
      code: 1,
      lost: true,
    },
    failure: "exited with 1 (Error: Session not found)",
  },
  { ...UNFINISHED, adapter: opencode, out: "text.out", err: "text.err" },
  {
    ...{ adapter: gemini, out: "stream.out", err: "stream.err", code: 0 },
    session: "d159207f-f942-4152-b123-1755ef16d791",
    model: "gemini-2.5-flash",
    turns: [["", `run_shell_command(${ECHO}) → tool-ran-ok`], [HELLO]],
    usage: [203, 14, null],
    text: HELLO,
  },
  {
    ...{ adapter: gemini, out: "json.out", err: "json.err", code: 0 },
    session: "d3aeac14-8155-4344-9bbf-dd4cd64ee1c4",
    model: "gemini-2.5-flash",
    turns: [[HELLO]],
    usage: [101, 7, null],
    text: HELLO,
  },
  {
    ...{ adapter: gemini, out: "resume.out", err: "resume.err", code: 0 },
    session: "d159207f-f942-4152-b123-1755ef16d791",
    model: "gemini-2.5-flash",
    turns: [["second answer"]],
    usage: [101, 7, null],
    text: "second answer",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: gemini, out: "fail401.out", err: "fail401.err", code: 145 },
    failure: 'exited with 145 ({"error":{"message":"fake 401"',
    reason: "auth",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: gemini, out: "fail500.out", err: "fail500.err", code: null },
    failure: "was ended by SIGKILL (Attempt 3 failed with status 500",
    reason: "network",
  },
  {
    ...{ ...NOTHING_TOLD, adapter: gemini, out: "bad.out", err: "bad.err", code: 42, lost: true },
    failure: "exited with 42 (Error resuming session: Invalid session identifier",
  },
];

function read(adapter: Adapter, file: string | null): string {
  return file === null ? "" : readFileSync(join(FIXTURES, adapter.name, file), "utf8");
}

function played({ adapter, out, err, code }: Case) {
  const [stdout, stderr] = [read(adapter, out), read(adapter, err)];
  const listener = listen("the prompt");
  for (const line of stdout.split("\n")) hearLine(adapter, listener, line);
  hearWhole(adapter, listener, stdout);
  const trace = listener.trace();
  const outcome = code === null ? "was ended by SIGKILL" : `exited with ${code}`;
  const run = { code, lingered: false, outcome, stdout, isUtf8: true, stderr };
  const { sessionId, model, turns, usage } = trace;
  const session = { sessionId, cwd: "/", model, turns, usage };
  return { trace, reply: classifyRun({ adapter, run, trace, session, role: "planner", resumed: true }) };
}

describe("a captured output of a real CLI", () => {
  for (const one of CASES) {
    it(`is read: ${one.adapter.name}/${one.out}`, () => {
      const { trace, reply } = played(one);
      expect(trace.sessionId).toBe(one.session);
      expect(trace.model).toBe(one.model);
      const turns = trace.turns.map(({ output, toolCalls }) => [
        output,
        ...toolCalls.map((call) => `${call.name}(${call.arguments}) → ${call.result}`),
      ]);
      expect(turns).toEqual(one.turns);
      const { usage } = trace;
      expect(usage && [usage.inputTokens, usage.outputTokens, usage.costUsd]).toEqual(one.usage);
      if ("text" in one) {
        expect(reply).toMatchObject({ kind: "text", text: one.text });
        return;
      }
      expect(reply.kind).toBe("failed");
      const { fault } = reply as { readonly fault: { readonly outcome: string } & Why };
      expect(fault.outcome).toContain(one.failure);
      expect(fault.reason).toBe(one.reason);
      expect("sessionLost" in reply).toBe(one.lost === true);
    });
  }

  it("has each file of the captured ones in the table", () => {
    const files = readdirSync(FIXTURES).flatMap((name) =>
      readdirSync(join(FIXTURES, name)).map((file) => `${name}/${file}`),
    );
    const named = CASES.flatMap(({ adapter, out, err }) =>
      [out, err ?? out].map((file) => `${adapter.name}/${file}`),
    );
    expect(files.filter((file) => !named.includes(file))).toEqual([]);
  });

  it("gives the input of each turn: the prompt, then tool results", () => {
    for (const one of CASES.filter(({ turns }) => turns.length === 2)) {
      const [first, second] = played(one).trace.turns;
      expect(first?.input).toBe("the prompt");
      expect(second?.input.trim()).toBe("tool-ran-ok");
    }
  });

  it("gives a turn's tokens and a tool's duration only if the CLI reports them", () => {
    const told = CASES.filter(({ turns }) => turns.length === 2).map((one) => {
      const [first] = played(one).trace.turns;
      return [one.adapter.name, first?.tokens, first?.toolCalls[0]?.durationMs];
    });
    expect(told).toEqual([
      ["claude", null, null],
      ["codex", null, null],
      ["pi", { input: 101, output: 7 }, null],
      ["opencode", { input: 102, output: 7 }, 117],
      ["gemini", null, 146],
    ]);
  });
});
