import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type FakeAgent,
  isAlive,
  makeAgent,
  makeThread,
  REVIEW_META,
  run,
  stepOf,
  type TestThread,
  VALID,
} from "../helpers.js";

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(() => made.remove());

function allGone({ started }: FakeAgent): boolean {
  return started().every((pid) => !isAlive(pid));
}

describe("uwf-acp", () => {
  it("initializes, opens a session in its folder, sends the prompt and stores the step", async () => {
    const fake = makeAgent(made.root, "");
    const { code, out, err } = await run(made, [fake.command]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const [hello, opened, prompted, ...rest] = fake.received();
    expect(hello).toMatchObject({
      jsonrpc: "2.0",
      method: "initialize",
      params: {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      },
    });
    expect(opened).toMatchObject({ method: "session/new", params: { cwd: made.root, mcpServers: [] } });
    expect(prompted).toMatchObject({ method: "session/prompt", params: { sessionId: "s1" } });
    expect(JSON.stringify(prompted)).toContain("# Deliverable format");
    expect(rest).toEqual([]);
    const { output, detail } = stepOf(made, out);
    expect(output).toEqual({ approved: true });
    expect(detail).toMatchObject({
      agent: "uwf-acp",
      sessionId: "s1",
      cwd: made.root,
      raw: { text: VALID },
      usage: null,
    });
    expect(allGone(fake)).toBe(true);
  });

  it("passes the agent's arguments on, and accepts a command without --", async () => {
    const fake = makeAgent(
      made.root,
      `process.stderr.write("words " + process.argv.slice(2).join(" ") + "\\n");`,
    );
    const { code, shown } = await run(made, [fake.command, "acp", "--model", "x", "--", "y"]);
    expect(code).toBe(0);
    expect(shown).toBe("words acp --model x -- y");
  });

  it("keeps thoughts, plans and tool calls in the trace, and out of the text", async () => {
    const body = `
      on["session/prompt"] = () => {
        update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm." } });
        update({ sessionUpdate: "plan", entries: [{ content: "look", priority: "high", status: "in_progress" }] });
        text("I look.", "m1");
        update({ sessionUpdate: "tool_call", toolCallId: "t1", title: "Read a.ts", kind: "read", status: "pending", locations: [{ path: "a.ts" }] });
        update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "failed", rawOutput: { error: "no such file" } });
        update({ sessionUpdate: "something_new" });
        text(${JSON.stringify(VALID)}, "m2");
        return { stopReason: "end_turn" };
      };`;
    const { out } = await run(made, [makeAgent(made.root, body).command]);
    const { detail } = stepOf(made, out);
    expect(detail).toMatchObject({
      raw: { text: VALID },
      turns: [
        {
          output: { text: "<thinking>\nHm.\n</thinking>\n\n<plan>\n[in_progress] look\n</plan>\n\nI look." },
          toolCalls: [
            { name: "read", arguments: { text: "Read a.ts" }, result: { text: '{"error":"no such file"}' } },
          ],
        },
        { input: { text: '{"error":"no such file"}' }, output: { text: VALID } },
      ],
    });
  });

  it("ignores updates of another session", async () => {
    const body = `
      on["session/prompt"] = () => {
        text(${JSON.stringify(VALID)});
        say({ method: "session/update", params: { sessionId: "s2", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "not ours" } } } });
        return { stopReason: "end_turn" };
      };`;
    const { out } = await run(made, [makeAgent(made.root, body).command]);
    expect(stepOf(made, out).detail).toMatchObject({ raw: { text: VALID } });
  });

  it("refuses unknown methods, and ignores unknown notifications", async () => {
    const body = `
      on["session/prompt"] = async () => {
        say({ method: "unheard/of", params: {} });
        const { error } = await ask("fs/read_text_file", { sessionId: "s1", path: "/etc/passwd" });
        text("---\\napproved: true\\ncomments: code " + error.code + "\\n---\\n");
        return { stopReason: "end_turn" };
      };`;
    const { out } = await run(made, [makeAgent(made.root, body).command]);
    expect(stepOf(made, out).output).toEqual({ approved: true, comments: "code -32601" });
  });

  it("shows output outside of the protocol as the agent's log", async () => {
    const body = `
      say("Loading…"); say('{"level":"info"}'); say("[1]"); say("{"); process.stderr.write("warning\\n");`;
    const { code, shown } = await run(made, [makeAgent(made.root, body).command]);
    expect(code).toBe(0);
    for (const line of ["Loading…", '{"level":"info"}', "[1]", "{", "warning"]) {
      expect(shown.split("\n")).toContain(line);
    }
  });

  it("skips a line that is too long, and continues", async () => {
    const body = `
      const polite = on["session/prompt"];
      on["session/prompt"] = () => { text("x".repeat(9_000_000), "big"); return polite(); };`;
    const { code, shown, out } = await run(made, [makeAgent(made.root, body).command]);
    expect(code).toBe(0);
    expect(shown).toMatch(/^a line of 8388608 bytes or more was skipped: \{"jsonrpc/);
    expect(stepOf(made, out).detail).toMatchObject({ raw: { text: VALID } });
  });

  it("takes the result of an agent that does not exit, and ends it with all its processes", async () => {
    const body = `
      process.stdin.on("end", () => setInterval(() => {}, 1000));
      process.on("SIGTERM", () => {});
      const child = require("node:child_process").spawn("sleep", ["600"], { stdio: "ignore" });
      appendFileSync(__dirname + "/started", child.pid + "\\n");`;
    const fake = makeAgent(made.root, body);
    expect((await run(made, [fake.command])).code).toBe(0);
    expect(fake.started()).toHaveLength(2);
    expect(allGone(fake)).toBe(true);
  });

  it("ends processes that outlive an agent", async () => {
    const body = `
      const child = require("node:child_process").spawn("sleep", ["600"], { stdio: "ignore" });
      appendFileSync(__dirname + "/started", child.pid + "\\n");
      process.stdin.on("end", () => process.exit(0));`;
    const fake = makeAgent(made.root, body);
    expect((await run(made, [fake.command])).code).toBe(0);
    expect(fake.started()).toHaveLength(2);
    expect(allGone(fake)).toBe(true);
  });
});

describe("the model", () => {
  const choice = `
    on["session/new"] = () => ({ sessionId: "s1", configOptions: [
      { id: "m", category: "model", type: "select", currentValue: "small", options: [{ value: "small" }, { value: "large" }] } ] });
    on["session/set_config_option"] = ({ value }) => value === "large" ? {} : refuse(-32602, "unknown value");`;

  it("is the session's own without --model", async () => {
    const { out } = await run(made, [makeAgent(made.root, choice).command]);
    expect(stepOf(made, out).detail).toMatchObject({ model: "small" });
  });

  it("is set as an option of the session", async () => {
    const fake = makeAgent(made.root, choice);
    const { out } = await run(made, [fake.command], { options: ["--model", "large"] });
    expect(fake.received()[2]).toMatchObject({
      method: "session/set_config_option",
      params: { sessionId: "s1", configId: "m", value: "large" },
    });
    expect(stepOf(made, out).detail).toMatchObject({ model: "large" });
  });

  it("is set in the older way too", async () => {
    const body = `
      on["session/new"] = () => ({ sessionId: "s1", models: { currentModelId: "a", availableModels: [{ modelId: "a" }] } });
      on["session/set_model"] = () => ({});`;
    const fake = makeAgent(made.root, body);
    const { out } = await run(made, [fake.command], { options: ["--model=b"] });
    expect(fake.received()[2]).toMatchObject({ method: "session/set_model", params: { modelId: "b" } });
    expect(stepOf(made, out).detail).toMatchObject({ model: "b" });
  });

  it.each([
    [choice, "refused session/set_config_option (-32602: unknown value); its models: small, large"],
    ["", "offers no choice of models, so --model other has no effect"],
  ])("is refused with a sentence", async (body, words) => {
    const { code, err } = await run(made, [makeAgent(made.root, body).command], {
      options: ["--model", "other"],
    });
    expect(code).toBe(6);
    expect(err).toContain(words);
  });
});

describe("an interrupted run", () => {
  const waits = `on["session/prompt"] = (_, id) => { appendFileSync(__dirname + "/prompted", "x"); waiting = id; }; let waiting;`;

  it("cancels the prompt, and ends the agent after its answer", async () => {
    const body = `${waits}
      on["session/cancel"] = () => say({ id: waiting, result: { stopReason: "cancelled" } });`;
    const fake = makeAgent(made.root, body);
    const interruptWhen = () => has(fake, "session/prompt");
    const { code, err } = await run(made, [fake.command], { interruptWhen });
    expect(code).toBe(143);
    expect(err).toContain("error[INTERRUPTED]");
    expect(fake.received().at(-1)).toMatchObject({ method: "session/cancel", params: { sessionId: "s1" } });
    expect(allGone(fake)).toBe(true);
  });

  it("ends an agent that ignores cancel, SIGTERM and EOF", async () => {
    const fake = makeAgent(made.root, `${waits} process.on("SIGTERM", () => {});`);
    const interruptWhen = () => has(fake, "session/prompt");
    const { code } = await run(made, [fake.command], { interruptWhen });
    expect(code).toBe(143);
    expect(allGone(fake)).toBe(true);
  });

  it("ends an agent that has not answered initialize", async () => {
    const fake = makeAgent(made.root, `on["initialize"] = () => {};`);
    const interruptWhen = () => has(fake, "initialize");
    const { code } = await run(made, [fake.command], { interruptWhen });
    expect(code).toBe(143);
    expect(fake.methods()).toEqual(["initialize"]);
    expect(allGone(fake)).toBe(true);
  });
});

function has({ methods }: FakeAgent, method: string): boolean {
  try {
    return methods().includes(method);
  } catch {
    return false;
  }
}
