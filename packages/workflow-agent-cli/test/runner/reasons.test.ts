import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Adapter, claude, codex, cursor, gemini, opencode, pi } from "../../src/adapters/index.js";
import { classifyRun } from "../../src/classify.js";
import { hearLine, hearWhole } from "../../src/runner.js";
import { listen } from "../../src/trace.js";
import { lines } from "../helpers.js";

const FIXTURES = join(import.meta.dirname, "../fixtures");

type Said = { readonly stdout?: string; readonly stderr?: string; readonly code: number };

function whyOfRun(adapter: Adapter, { stdout = "", stderr = "", code }: Said) {
  const listener = listen("the prompt");
  for (const line of stdout.split("\n")) hearLine(adapter, listener, line);
  hearWhole(adapter, listener, stdout);
  const trace = listener.trace();
  const run = { code, lingered: false, outcome: `exited with ${code}`, stdout, isUtf8: true, stderr };
  const { sessionId, model, turns, usage } = trace;
  const session = { sessionId, cwd: "/", model, turns, usage };
  const reply = classifyRun({ adapter, run, trace, session, role: "planner", resumed: false });
  if (reply.kind !== "failed" || reply.fault.code !== "AGENT_FAILED") throw new Error("it did not fail");
  const { reason, retryAfter, hint } = reply.fault;
  return { reason, retryAfter, hint };
}

describe("a captured failure of a real CLI has the reason", () => {
  it.each([
    ["claude/fail401", claude, 1, "auth"],
    ["claude/fail500", claude, 1, "network"],
    ["codex/fail401", codex, 1, "auth"],
    ["codex/fail500", codex, 1, "network"],
    ["pi/fail401", pi, 0, "auth"],
    ["pi/fail500", pi, 0, "network"],
    ["opencode/fail401", opencode, 1, "auth"],
    ["opencode/fail429", opencode, 1, "rate-limit"],
    ["gemini/fail401", gemini, 145, "auth"],
    ["gemini/fail500", gemini, 244, "network"],
  ] as const)("%s", (name, adapter, code, reason) => {
    const read = (end: string) => readFileSync(join(FIXTURES, `${name}.${end}`), "utf8");
    expect(whyOfRun(adapter, { stdout: read("out"), stderr: read("err"), code })).toMatchObject({ reason });
  });
});

describe("a login that fails leads to the command that logs in", () => {
  it.each([
    ["run `claude` and /login", claude],
    ["run `codex login`", codex],
    ["run `cursor-agent login`", cursor],
    ["run `gemini` once", gemini],
    ["run `opencode auth login`", opencode],
    ["run `pi` and /login", pi],
  ] as const)("%s", (hint, adapter) => {
    const why = whyOfRun(adapter, { stderr: "Error: HTTP 401", code: 1 });
    expect(why).toMatchObject({ reason: "auth", hint: expect.stringContaining(hint) });
  });
});

const claudeResult = (more: object) => lines({ type: "result", is_error: true, session_id: "s", ...more });
const claudeSays = (status: number, result: string) =>
  claudeResult({ subtype: "success", api_error_status: status, result });
const codexFails = (message: string) => lines({ type: "turn.failed", error: { message } });
const opencodeFails = (name: string, data: object) =>
  lines({ type: "error", sessionID: "s", error: { name, data } });
const piFails = (errorMessage: string) =>
  lines({
    type: "message_end",
    message: { role: "assistant", content: [], stopReason: "error", errorMessage },
  });

describe("structured error data of a CLI becomes the reason", () => {
  it.each([
    ["claude: status 429", claude, claudeSays(429, "busy"), 1, { reason: "rate-limit" }],
    ["claude: no credit", claude, claudeSays(400, "Your credit balance is too low"), 1, { reason: "quota" }],
    [
      "claude: prompt too long",
      claude,
      claudeSays(400, "Prompt is too long"),
      1,
      { reason: "context-overflow" },
    ],
    [
      "claude: --max-turns",
      claude,
      claudeResult({ subtype: "error_max_turns" }),
      1,
      { reason: "limit-reached" },
    ],
    [
      "claude: --max-budget",
      claude,
      claudeResult({ subtype: "error_max_budget_usd" }),
      1,
      { reason: "limit-reached" },
    ],
    [
      "claude: refusal",
      claude,
      claudeResult({ subtype: "success", stop_reason: "refusal", result: "no" }),
      1,
      { reason: "refused" },
    ],
    [
      "codex: usage limit with a time",
      codex,
      codexFails("You've hit your usage limit. Try again in 5 minutes."),
      1,
      { reason: "rate-limit", retryAfter: 300 },
    ],
    [
      "codex: empty account",
      codex,
      codexFails("Quota exceeded. Check your plan and billing details."),
      1,
      { reason: "quota" },
    ],
    [
      "codex: context",
      codex,
      codexFails("Codex ran out of room in the model's context window."),
      1,
      { reason: "context-overflow" },
    ],
    [
      "opencode: Retry-After",
      opencode,
      opencodeFails("APIError", {
        message: "slow",
        statusCode: 429,
        responseHeaders: { "retry-after": "7" },
      }),
      1,
      { reason: "rate-limit", retryAfter: 7 },
    ],
    [
      "opencode: Retry-After, fraction",
      opencode,
      opencodeFails("APIError", {
        message: "slow",
        statusCode: 429,
        responseHeaders: { "retry-after": "1.5" },
      }),
      1,
      { reason: "rate-limit", retryAfter: 2 },
    ],
    [
      "opencode: Retry-After, date",
      opencode,
      opencodeFails("APIError", {
        message: "slow",
        statusCode: 429,
        responseHeaders: { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" },
      }),
      1,
      { reason: "rate-limit" },
    ],
    [
      "opencode: insufficient_quota in the body",
      opencode,
      opencodeFails("APIError", {
        message: "no",
        statusCode: 429,
        responseBody: '{"error":{"code":"insufficient_quota"}}',
      }),
      1,
      { reason: "quota" },
    ],
    [
      "opencode: ProviderAuthError",
      opencode,
      opencodeFails("ProviderAuthError", { message: "no" }),
      1,
      { reason: "auth" },
    ],
    [
      "opencode: ContextOverflowError",
      opencode,
      opencodeFails("ContextOverflowError", { message: "no" }),
      1,
      { reason: "context-overflow" },
    ],
    [
      "opencode: MessageOutputLengthError",
      opencode,
      opencodeFails("MessageOutputLengthError", {}),
      1,
      { reason: "limit-reached" },
    ],
    ["pi: 429 at exit 0", pi, piFails("429 busy"), 0, { reason: "rate-limit" }],
    ["pi: 402 at exit 0", pi, piFails("402 pay"), 0, { reason: "quota" }],
    ["pi: no status", pi, piFails("fetch failed"), 0, { reason: "network" }],
    ["gemini: 41", gemini, "", 41, { reason: "auth" }],
    ["gemini: 53", gemini, "", 53, { reason: "limit-reached" }],
    ["gemini: 173 is 429", gemini, "", 173, { reason: "rate-limit" }],
    ["gemini: 42 has none", gemini, "", 42, {}],
    ["gemini: ended by SIGTERM, 143", gemini, "", 143, {}],
    ["any: exit 0 without a word", codex, "", 0, { reason: "bad-result" }],
    ["any: exit 3 without a word", codex, "", 3, {}],
  ] as const)("%s", (_, adapter, stdout, code, why) => {
    const { hint: _hint, ...told } = whyOfRun(adapter, { stdout, code });
    expect(told).toEqual({ reason: undefined, retryAfter: undefined, ...why });
  });
});
