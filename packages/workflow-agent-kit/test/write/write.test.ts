import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@uncaged/json-cas";
import { expandDetail, readChainNode } from "@uncaged/workflow-store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runWrite } from "../../src/write.js";
import { makeHost } from "../helpers/host.js";
import { addStep, advance, makeThread, REVIEW_META, type TestThread } from "../helpers/thread.js";

const VALID = "---\napproved: true\ncomments: fine\n---\nLooks good.\n";

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META, developer: REVIEW_META });
});

afterEach(() => made.remove());

type Input = {
  readonly stdin: string | Uint8Array;
  readonly facts: unknown;
  readonly env: Readonly<Record<string, string>>;
};

async function write(options: readonly string[], given: Partial<Input> = {}) {
  const { stdin = VALID, facts = {}, env = {} } = given;
  const host = makeHost([...options, made.thread, "reviewer"], made.root, env);
  const file = (path: string): Uint8Array => {
    if (!path.endsWith("facts.json")) throw new Error("no such file");
    return Buffer.from(typeof facts === "string" ? facts : JSON.stringify(facts));
  };
  const code = await runWrite(host, { stdin: () => Buffer.from(stdin), file });
  return { code, ...host.written };
}

function stepOf({ out, err }: { readonly out: string; readonly err: string }) {
  const step = readChainNode(made.storage.cas, out.trim() as Hash);
  if (!step.ok || step.value.kind !== "step") throw new Error(`no step: ${err}`);
  const detail = expandDetail(made.storage.cas, step.value.payload.detail);
  const output = made.storage.cas.get(step.value.payload.output)?.payload;
  return { hash: step.value.hash, ...step.value.payload, output, detail: detail.ok ? detail.value : null };
}

describe("stdin that is not UTF-8", () => {
  const latin = Buffer.from("---\napproved: false\ncomments: caf\u00e9\n---\n", "latin1");
  it.each([
    ["a reply in Latin-1", [], latin, "it is not UTF-8"],
    ["a reply in UTF-16", [], Buffer.from(`\ufeff${VALID}`, "utf16le"), "it is UTF-16"],
    [
      "an output in Latin-1",
      ["--output"],
      Buffer.from('{"comments": "caf\u00e9"}', "latin1"),
      "it is not UTF-8",
    ],
  ] as const)("%s is refused, and nothing is stored", async (_, options, stdin, reason) => {
    const written = await write(options, { stdin });
    expect(written).toMatchObject({ code: 4, out: "" });
    expect(written.err).toContain(reason);
  });
});

describe("uwf-agent-write", () => {
  it("makes a step of a reply on stdin and prints its hash", async () => {
    const written = await write(["--agent", "uwf-mine"]);
    expect(written).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^[0-9A-Z]{13}\n$/) });
    expect(stepOf(written)).toMatchObject({
      agent: "uwf-mine",
      role: "reviewer",
      output: { approved: true, comments: "fine" },
      detail: {
        raw: { text: VALID },
        prompt: { text: expect.stringContaining("# Task") },
        sessionId: null,
        usage: null,
      },
    });
  });

  it("keeps what the author's program knows of its session", async () => {
    const toolCalls = [{ name: "sh", arguments: "ls", result: "a b", durationMs: 4 }];
    const facts = { usage: { inputTokens: 5, outputTokens: 7 }, toolCalls, cwd: "/work" };
    const options = ["--session-id", "s-1", "--model=small", "--facts", "facts.json"];
    expect(stepOf(await write(options, { facts })).detail).toMatchObject({
      sessionId: "s-1",
      model: "small",
      cwd: "/work",
      usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12, costUsd: null },
      turns: [
        {
          input: { text: expect.stringContaining("# Task") },
          output: { text: VALID },
          toolCalls: [{ name: "sh", arguments: { text: "ls" }, result: { text: "a b" }, durationMs: 4 }],
        },
      ],
    });
  });

  it("takes the structured output itself from a program that has it", async () => {
    expect(stepOf(await write(["--output"], { stdin: '{"approved": false}' })).output).toEqual({
      approved: false,
    });
    expect(await write(["--output"], { stdin: '{"approved": "no"}' })).toMatchObject({
      code: 6,
      out: "",
      err: expect.stringContaining("/approved: expected boolean"),
    });
    expect(await write(["--output"], { stdin: "[]" })).toMatchObject({ code: 4, out: "" });
    expect(await write(["--output"], { stdin: "approved" })).toMatchObject({ code: 4, out: "" });
    expect(await write(["--output"], { stdin: '{"approved": false, "approved": true}' })).toMatchObject({
      code: 4,
      out: "",
      err: expect.stringContaining('/approved cannot be stored: the key "approved" appears twice'),
    });
  });

  it("names every violation of a reply that is not valid, and asks no model", async () => {
    const written = await write(["--session-id", "s-1"], { stdin: "---\ncomments: 5\n---\n" });
    expect(written).toMatchObject({ code: 6, out: "" });
    expect(written.err).toMatch(/error\[EXTRACT_FAILED\][\s\S]*\/approved[\s\S]*\/comments/);
    expect(written.err).not.toContain("asking again");
  });

  it("counts the time since the run began, not that of the writing", async () => {
    const run = join(made.root, "runs", made.thread, "token-1");
    mkdirSync(run, { recursive: true });
    const began = Math.floor(Date.now() / 1000) - 90;
    writeFileSync(join(run, "run.json"), "{}");
    utimesSync(join(run, "run.json"), began, began);
    const { detail } = stepOf(await write([], { env: { UWF_RUN: "token-1" } }));
    const { startedAt, durationMs } = detail as { readonly startedAt: number; readonly durationMs: number };
    expect(startedAt).toBe(began * 1000);
    expect(durationMs).toBeGreaterThanOrEqual(90_000);
  });

  it("records what was asked in the session that has gone on, and says where it has not", async () => {
    const first = stepOf(await write(["--agent", "uwf-mine", "--session-id", "s-1"]));
    await advance(made, made.start, first.hash);
    const output = { approved: false };
    await addStep(made, first.hash, { role: "developer", meta: REVIEW_META, output, reply: "Repaired." });
    const again = await write(["--agent", "uwf-mine", "--session-id", "s-1"]);
    expect(again.err).toBe("");
    expect(stepOf(again).detail).toMatchObject({
      prompt: { text: expect.stringContaining("since your last step") },
    });
    const other = await write(["--agent", "uwf-mine", "--session-id", "s-2"]);
    expect(other.err).toContain(
      "session s-1 was not continued: session s-1: the reply comes from session s-2",
    );
    expect(stepOf(other).detail).toMatchObject({
      sessionId: "s-2",
      prompt: { text: expect.stringContaining("# Task") },
    });
  });

  it.each([
    [["--facts", "facts.json"], "{", 4, "error[INVALID_INPUT]"],
    [["--facts", "facts.json"], [], 4, "it is not a JSON object"],
    [["--facts", "facts.json"], { tokens: 1 }, 4, "unknown key tokens; known are sessionId, cwd"],
    [["--facts", "facts.json"], { turns: {} }, 4, "turns must be a list"],
    [["--facts", "other.json"], {}, 3, "error[FILE_NOT_FOUND]"],
    [["--fast"], {}, 2, "error[USAGE]: unknown option --fast"],
    [["one", "word"], {}, 2, "error[USAGE]: a thread id and a role are needed"],
  ])("refuses what it cannot read: %j %j", async (options, facts, code, error) => {
    expect(await write(options, { facts })).toMatchObject({
      code,
      out: "",
      err: expect.stringContaining(error),
    });
  });

  it("has a help with examples first", async () => {
    expect((await write(["--help"])).out).toMatch(
      /^uwf-agent-write --agent uwf-mine "\$thread" "\$role" < reply\.md\n/,
    );
  });
});
