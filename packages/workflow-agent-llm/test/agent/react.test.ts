import { type Hash, walk } from "@uncaged/json-cas";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { advance } from "../../../workflow-agent-kit/test/helpers/thread.js";
import { calls, chunk, event, fails, type Move, says } from "../helpers/fake-llm.js";
import { type Bench, bench, GOOD, KEY, type Ran, results, stepOf } from "../helpers/run.js";

let at: Bench;

beforeEach(async () => {
  at = await bench();
});

afterEach(() => at.remove());

const react = (moves: readonly Move[], args: readonly string[] = []) => at.run("react", moves, { args });

describe("uwf-react", () => {
  it("repairs a small broken repository: reads, patches, runs the test, replies", async () => {
    at.write("add.mjs", "export const add = (a, b) => a - b;\n");
    at.write(
      "test.mjs",
      'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) throw new Error("2 + 3 is not " + add(2, 3));\n',
    );
    const ran = await react([
      calls(["shell_exec", { command: "node test.mjs" }]),
      calls(["read_file", { path: "add.mjs" }]),
      calls(
        ["patch_file", { path: "add.mjs", old: "a - b", new: "a + b" }],
        ["shell_exec", { command: "node test.mjs && echo fine" }],
      ),
      says(GOOD),
    ]);
    const { output, detail } = stepOf(at, ran);
    expect(output).toEqual({ approved: true });
    expect(at.read("add.mjs")).toBe("export const add = (a, b) => a + b;\n");
    const [broken, source, patched, tested] = results(ran);
    expect(broken).toMatch(/^exit code 1\n[\s\S]*2 \+ 3 is not -1/);
    expect(source).toBe("export const add = (a, b) => a - b;\n");
    expect(patched).toBe("Replaced it once in add.mjs.");
    expect(tested).toBe("exit code 0\nfine");
    expect(detail.turns.map(({ toolCalls }) => toolCalls.map(({ name }) => name))).toEqual([
      ["shell_exec"],
      ["read_file"],
      ["patch_file", "shell_exec"],
      [],
    ]);
    expect(detail.usage).toEqual({ inputTokens: 40, outputTokens: 12, totalTokens: 52, costUsd: null });
  });

  it("offers its tools, without a shell if that is not allowed", async () => {
    const namesIn = async (args: readonly string[]) =>
      (await react([says(GOOD)], args)).requests[0]?.body.tools?.map((tool) => tool.function.name);
    const files = ["read_file", "write_file", "patch_file"];
    expect(await namesIn([])).toEqual([...files, "shell_exec", "cas_get", "cas_put"]);
    expect(await namesIn(["--no-shell"])).toEqual([...files, "cas_get", "cas_put"]);
    const ran = await react([calls(["shell_exec", { command: "touch x" }]), says(GOOD)], ["--no-shell"]);
    expect(results(ran)).toEqual([
      'Error: there is no tool "shell_exec"; the tools are read_file, write_file, patch_file, cas_get, cas_put.',
    ]);
  });

  it("keeps every call with arguments and result, and reports progress on stderr", async () => {
    at.write("a.txt", "hello\n");
    const { detail } = stepOf(at, await react([calls(["read_file", { path: "a.txt" }]), says(GOOD)]));
    expect(detail.turns[0]?.toolCalls).toMatchObject([
      { name: "read_file", arguments: { text: '{"path":"a.txt"}' }, result: { text: "hello\n" } },
    ]);
    expect(detail.turns[1]?.input.text).toBe("hello\n");
    expect(at.stderr).toEqual(['uwf-react: read_file {"path":"a.txt"}']);
  });

  it("reads nodes of the store", async () => {
    const ran = await react([
      calls(["cas_get", { hash: at.made.start }], ["cas_get", { hash: "x" }]),
      says(GOOD),
    ]);
    expect(results(ran)).toEqual([expect.stringContaining('"prompt":"Fix the bug."'), '"x" is not a hash.']);
  });

  it("stores texts, without keys, for fields that refer to nodes", async () => {
    const ran = await react([
      calls(["cas_put", { text: `Phase one. ${KEY}` }], ["cas_put", { text: 1 }]),
      says(GOOD),
    ]);
    const [hash = "", refusal] = results(ran);
    expect(at.made.storage.cas.get(hash as Hash)?.payload).toEqual({
      text: expect.stringMatching(/^Phase one\. \[redacted:/),
    });
    expect(refusal).toBe("Error: text must be a string.");
  });
});

describe("a model that misbehaves", () => {
  it("gets an error for unknown tools and invalid arguments", async () => {
    const ran = await react([
      calls(
        ["delete_everything", {}],
        ["read_file", '{"path": "a'],
        ["read_file", "[1]"],
        ["read_file", ""],
        ["write_file", { path: "x" }],
      ),
      says(GOOD),
    ]);
    expect(results(ran)).toEqual([
      'Error: there is no tool "delete_everything"; the tools are read_file, write_file, patch_file, shell_exec, cas_get, cas_put.',
      'Error: the arguments of read_file are not a JSON object: {"path": "a.',
      "Error: the arguments of read_file are not a JSON object: [1].",
      "Error: path is missing or invalid.",
      "Error: content must be a string.",
    ]);
    // Servers parse what they have said before: it must not be what was broken.
    const sent = ran.requests[1]?.body.messages.find(({ tool_calls }) => tool_calls !== undefined);
    expect(sent?.tool_calls?.map((call) => call.function.arguments)).toEqual([
      "{}",
      "{}",
      "{}",
      "{}",
      '{"path":"x"}',
    ]);
    expect(stepOf(at, ran).detail.turns[0]?.toolCalls[1]?.arguments.text).toBe('{"path": "a');
  });

  it("is told that its answer was cut off or empty, twice at most", async () => {
    const ran = await react([says("I will", "length"), says(""), says(GOOD)]);
    expect(stepOf(at, ran).output).toEqual({ approved: true });
    const [, , cut, hint, empty, again] = ran.requests[2]?.body.messages ?? [];
    expect([cut?.content, empty?.content]).toEqual(["I will", "(no answer)"]);
    expect(hint?.content).toContain("cut off at the length limit");
    expect(again?.content).toContain("was empty");
    const hopeless = await react([says("")]);
    expect(hopeless).toMatchObject({ code: 6, err: expect.stringContaining("the answer is empty") });
    expect(hopeless.requests).toHaveLength(3);
  });

  it("runs nothing of an answer that was cut off", async () => {
    const { pieces } = calls(["write_file", { path: "half.txt", content: "half" }]);
    const cut = pieces.map((piece) => String(piece).replace('"tool_calls"}', '"length"}'));
    const ran = await react([{ pieces: cut }, says(GOOD)]);
    expect(stepOf(at, ran).output).toEqual({ approved: true });
    expect(() => at.read("half.txt")).toThrow("ENOENT");
  });

  it("has to reply after the last round", async () => {
    const call = calls(["read_file", { path: "." }]);
    const ran = await react([call, call, says(GOOD)], ["--max-rounds", "2"]);
    const { detail } = stepOf(at, ran);
    expect(ran.requests.map(({ body }) => body.tool_choice)).toEqual([undefined, undefined, "none"]);
    expect(ran.requests[2]?.body.messages.at(-1)?.content).toContain("the last one with tools");
    expect(detail.turns.at(-1)?.input.text).toContain("the last one with tools");
    const endless = await react([call], ["--max-rounds", "2"]);
    expect(endless).toMatchObject({ code: 6, err: expect.stringContaining("after 2 rounds") });
    expect(endless.requests).toHaveLength(3);
  });

  it("has the known cost even if it fails", async () => {
    const { err, code } = await react([
      calls(["read_file", { path: "." }]),
      { status: 401, type: "application/json", pieces: ["{}"] },
    ]);
    expect(code).toBe(6);
    expect(err).toContain("HTTP 401");
  });
});

const one = (index: number | null, id: string | null, name: string | null, given: unknown): unknown => ({
  ...(index === null ? {} : { index }),
  ...(id === null ? {} : { id }),
  function: { ...(name === null ? {} : { name }), arguments: given },
});

const pieced: readonly (readonly [string, readonly unknown[]])[] = [
  [
    "by index, interleaved",
    [
      one(0, "a", "read_file", ""),
      one(1, "b", "read_file", '{"path":'),
      one(0, null, null, '{"path":"a.txt"}'),
      one(1, null, null, '"b.txt"}'),
    ],
  ],
  [
    "with one index and two ids",
    [one(0, "a", "read_file", '{"path":"a.txt"}'), one(0, "b", "read_file", '{"path":"b.txt"}')],
  ],
  [
    "with id and name in every piece",
    [
      one(0, "a", "read_file", '{"path":'),
      one(0, "a", "read_file", '"a.txt"}'),
      one(1, "b", "read_file", '{"path":"b.txt"}'),
    ],
  ],
  [
    "without an index",
    [
      one(null, "a", "read_file", '{"path":'),
      one(null, null, null, '"a.txt"}'),
      one(null, "b", "read_file", '{"path":"b.txt"}'),
    ],
  ],
  [
    "without ids",
    [one(0, null, "read_file", '{"path":"a.txt"}'), one(1, null, "read_file", '{"path":"b.txt"}')],
  ],
  [
    "with arguments as objects",
    [one(0, "a", "read_file", { path: "a.txt" }), one(1, "b", "read_file", { path: "b.txt" })],
  ],
];

describe("tool calls in pieces", () => {
  it.each(pieced)("are joined %s", async (_name, deltas) => {
    at.write("a.txt", "A");
    at.write("b.txt", "B");
    const pieces = [
      ...deltas.map((delta) => chunk({ tool_calls: [delta] })),
      chunk({}, "tool_calls"),
      event("[DONE]"),
    ];
    const ran = await react([{ pieces }, says(GOOD)]);
    expect(results(ran)).toEqual(["A", "B"]);
    const ids = ran.requests[1]?.body.messages
      .find((message) => message.tool_calls)
      ?.tool_calls?.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  it("keep other members from the server", async () => {
    const signed = {
      ...(one(0, "a", "read_file", '{"path":"."}') as object),
      extra_content: { google: { thought_signature: "s" } },
    };
    const ran = await react([{ pieces: [chunk({ tool_calls: [signed] }, "tool_calls")] }, says(GOOD)]);
    expect(ran.requests[1]?.text).toContain('"extra_content":{"google":{"thought_signature":"s"}}');
  });
});

describe("a session", () => {
  it("is sent again, with tool calls, when another process visits the role", async () => {
    at.write("a.txt", "hello\n");
    const first = await react([
      calls(["read_file", { path: "a.txt" }], ["read_file", { path: "b.txt" }]),
      says("no header"),
      says(GOOD),
    ]);
    const step = stepOf(at, first);
    await advance(at.made, at.made.start, step.hash);
    const again = await at.resume("session-1", "And now?", [says(GOOD)]);
    expect(again.code).toBe(0);
    const messages = again.requests[0]?.body.messages ?? [];
    const before = first.requests.at(-1)?.body.messages ?? [];
    const bare = (list: typeof messages) =>
      JSON.parse(JSON.stringify(list).replace(/"(?:id|tool_call_id)":"[^"]*"/g, '"id":0'));
    expect(bare(messages)).toEqual([
      ...bare(before),
      { role: "assistant", content: GOOD },
      { role: "user", content: "And now?" },
    ]);
    const [, , called, a, b] = messages;
    expect(called?.tool_calls?.map(({ id }) => id)).toEqual([a?.tool_call_id, b?.tool_call_id]);
  });

  it("is lost if no step has it, or if it exceeds the model's context", async () => {
    expect(await at.resume("session-7", "And now?", [says(GOOD)])).toMatchObject({
      requests: [],
      reply: { kind: "failed", sessionLost: true },
    });
    const step = stepOf(at, await react([says(GOOD)]));
    await advance(at.made, at.made.start, step.hash);
    const full: Move = {
      status: 400,
      type: "application/json",
      pieces: ['{"error":{"message":"maximum context length is 8192","code":"context_length_exceeded"}}'],
    };
    expect((await at.resume("session-1", "And now?", [full])).reply).toMatchObject({
      kind: "failed",
      sessionLost: true,
    });
    const down: Move = { status: 401, type: "application/json", pieces: ["{}"] };
    expect((await at.resume("session-1", "And now?", [down])).reply).toMatchObject({ sessionLost: false });
  });
});

describe("a second visit of a role", () => {
  it("continues its session, or a new one if the old one is too long; the next visit continues that one", async () => {
    const first = stepOf(at, await react([says(GOOD)]));
    await advance(at.made, at.made.start, first.hash);
    const second = await react([says(GOOD)]);
    const step = stepOf(at, second);
    await advance(at.made, first.hash, step.hash);
    expect(step.detail.sessionId).toBe("session-1");
    expect(second.requests[0]?.body.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
    const full = fails(400, { message: "maximum context length is 8192" });
    const third = await react([full, says(GOOD)]);
    expect(third.err).toContain("session session-1 was not continued");
    expect(third.requests[1]?.body.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    const fresh = stepOf(at, { ...third, err: "" });
    await advance(at.made, step.hash, fresh.hash);
    const fourth = await react([says(GOOD)]);
    // What the kit has noted of the lost session is nothing that anybody has said.
    expect(fourth.requests[0]?.text).not.toContain("was not continued");
    expect(fourth.requests[0]?.body.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
  });
});

describe("a growing conversation", () => {
  const LONG = "x".repeat(3000);
  const lengths = ({ requests }: Ran): readonly number[] => results({ requests }).map(({ length }) => length);

  it("loses its oldest results at a limit, and the trace loses nothing", async () => {
    at.write("long.txt", LONG);
    const look = calls(["read_file", { path: "long.txt" }]);
    const ran = await react([look, look, look, look, look, look, says(GOOD)], ["--context-limit", "19000"]);
    expect(lengths(ran).map((length) => length > 2000)).toEqual([false, false, true, true, true, true]);
    expect(results(ran)[0]).toContain("cut off to save room");
    const { turns } = stepOf(at, ran).detail;
    expect(turns.slice(0, 6).map(({ toolCalls }) => toolCalls[0]?.result.text)).toEqual(Array(6).fill(LONG));
  });

  it("loses them if it exceeds the model's context", async () => {
    at.write("long.txt", LONG);
    const look = calls(["read_file", { path: "long.txt" }]);
    const full = fails(400, { message: "too long", code: "context_length_exceeded" });
    const ran = await react([look, look, look, look, look, look, full, says(GOOD)]);
    expect(stepOf(at, ran).output).toEqual({ approved: true });
    expect(ran.requests).toHaveLength(8);
    expect(lengths(ran).filter((length) => length < 1000)).toHaveLength(2);
    expect(await react([look, full])).toMatchObject({ code: 6, err: expect.stringContaining("too long") });
  });
});

describe("keys", () => {
  it("reach neither commands nor the model, even if a command finds them", async () => {
    at.write("env.txt", `KEY=${KEY}\n`);
    const env = { GITHUB_TOKEN: "ghp_0123456789", MINE: `prefix-${KEY}`, PLAIN: "plain" };
    const ran = await at.run(
      "react",
      [
        calls(["shell_exec", { command: "env; cat env.txt" }], ["read_file", { path: "env.txt" }]),
        says(GOOD),
      ],
      { env },
    );
    const [shell = "", file] = results(ran);
    expect(shell).toContain("PLAIN=plain");
    for (const hidden of ["LOCAL_API_KEY=", "GITHUB_TOKEN", "MINE=", "OTHER=", KEY])
      expect(shell).not.toContain(hidden);
    expect(file).toBe("KEY=[redacted:LOCAL_API_KEY]\n");
    expect(JSON.stringify(stepOf(at, ran).detail)).not.toContain(KEY);
    expect(ran.requests.map(({ text }) => text).join()).not.toContain(KEY);
    const passed = await at.run("react", [calls(["shell_exec", { command: "env" }]), says(GOOD)], {
      env,
      args: ["--pass-env", "GITHUB_TOKEN"],
    });
    // The command has it; what it prints of it the model does not see.
    expect(results(passed)[0]).toContain("GITHUB_TOKEN=[redacted:GITHUB_TOKEN]");
  });
});

describe("every step", () => {
  it("leads to prompt, answers, arguments and results", async () => {
    at.write("a.txt", "the content of a");
    const { hash } = stepOf(at, await react([calls(["read_file", { path: "a.txt" }]), says(GOOD)]));
    const { cas } = at.made.storage;
    const texts = new Set<string>();
    walk(cas, hash, (visited) => {
      const payload = cas.get(visited.hash)?.payload as { readonly text?: string } | undefined;
      if (payload?.text !== undefined) texts.add(payload.text);
    });
    expect(texts).toContain("the content of a");
    expect(texts).toContain('{"path":"a.txt"}');
    expect(texts).toContain(GOOD);
    expect([...texts].some((text) => text.includes("Fix the bug."))).toBe(true);
  });
});
