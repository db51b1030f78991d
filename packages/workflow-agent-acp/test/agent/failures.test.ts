import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive, makeAgent, makeThread, REVIEW_META, run, type TestThread } from "../helpers.js";

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(() => made.remove());

type Settings = NonNullable<Parameters<typeof run>[2]>;

type Case = readonly [name: string, body: string, words: string];

const stops = (result: string): string => `on["session/prompt"] = () => { text("half"); return ${result}; };`;

/** Those that would wait for long. */
const SETTINGS: Readonly<Record<string, Settings>> = {
  "says nothing at all": { times: { startMs: 700 } },
  "opens no session": { times: { startMs: 700 } },
  // Its start counts too, which takes its time on a busy machine.
  "says nothing after the prompt": { options: ["--idle", "2"] },
};

const FAILURES: readonly Case[] = [
  [
    "says nothing at all",
    `on["initialize"] = () => {};`,
    "did not answer initialize within 0.7 s and was ended",
  ],
  ["opens no session", `on["session/new"] = () => {};`, "did not answer"],
  [
    "says nothing after the prompt",
    `on["session/prompt"] = () => {};`,
    "sent nothing for too long and was ended before it had answered session/prompt",
  ],
  [
    "speaks another version",
    `on["initialize"] = () => ({ protocolVersion: 2 });`,
    "speaks version 2 of the Agent Client Protocol, not 1",
  ],
  ["tells no version", `on["initialize"] = () => ({});`, "speaks version none of the Agent Client Protocol"],
  ["is ended before a word", "process.exit(3);", "exited with 3 before it had answered initialize"],
  [
    "dies in the middle",
    `on["session/prompt"] = () => { text("half"); process.kill(process.pid, "SIGKILL"); };`,
    "was ended by SIGKILL before it had answered session/prompt",
  ],
  [
    "prints garbage and goes",
    `on["session/prompt"] = () => { for (let n = 0; n < 500; n += 1) say(String.fromCharCode(n) + "}{"); process.exit(0); };`,
    "exited with 0 before it had answered session/prompt",
  ],
  [
    "talks without end",
    `on["session/prompt"] = () => { const more = () => { text("x".repeat(4_000_000)); setImmediate(more); }; more(); };`,
    "wrote too much in one turn and was stopped",
  ],
  ["has no session id", `on["session/new"] = () => ({});`, "answered session/new without a sessionId"],
  [
    "wants a login",
    `on["initialize"] = () => ({ protocolVersion: 1, authMethods: [{ id: "key", name: "Use a key" }] });
     on["session/new"] = () => refuse(-32000, "Authentication required");`,
    "wants to be logged in first (-32000: Authentication required; it offers: Use a key)",
  ],
  [
    "meets an error of its model",
    `on["session/prompt"] = () => refuse(-32603, "Internal error: bad key", { service: "session" });`,
    'refused session/prompt (-32603: Internal error: bad key: {"service":"session"})',
  ],
  [
    "ends its turn without a word",
    `on["session/prompt"] = () => ({ stopReason: "end_turn" });`,
    "gave no answer",
  ],
  ["gives no reason to stop", stops("{}"), "ended the prompt without a stopReason"],
  ["runs out of tokens", stops(`{ stopReason: "max_tokens" }`), "reached its limit of tokens"],
  [
    "runs out of requests",
    stops(`{ stopReason: "max_turn_requests" }`),
    "reached its limit of requests in one turn",
  ],
  ["refuses", stops(`{ stopReason: "refusal" }`), "refused to continue"],
  ["was cancelled by somebody", stops(`{ stopReason: "cancelled" }`), "was cancelled"],
  ["stops for a reason of its own", stops(`{ stopReason: "tired" }`), 'stopped for the reason "tired"'],
];

describe("an agent that", () => {
  it.each(FAILURES)("%s is a failure with its reason, and is ended", async (name, body, words) => {
    const fake = makeAgent(made.root, `process.stderr.write("hm\\n");${body}`);
    const { code, out, err } = await run(made, [fake.command], SETTINGS[name]);
    expect({ code, out }).toEqual({ code: 6, out: "" });
    expect(err).toContain(`error[AGENT_FAILED]: agent ${fake.command} ${words}`);
    expect(fake.started().some(isAlive)).toBe(false);
  });

  it("is not installed is a separate failure", async () => {
    const { code, err } = await run(made, ["no-such-agent", "acp"]);
    expect(code).toBe(4);
    expect(err).toContain("error[AGENT_NOT_FOUND]: agent no-such-agent was not found on PATH");
  });

  it("is not given is bad usage", async () => {
    const { code, err } = await run(made, []);
    expect(code).toBe(2);
    expect(err).toContain("there is no command");
    expect(err).toContain("usage: uwf-acp [--allow <kinds>]");
  });
});
