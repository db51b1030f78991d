import type { Hash } from "@uncaged/json-cas";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runAgent } from "../../src/main/index.js";
import { runPrompt } from "../../src/next-prompt.js";
import { runWrite } from "../../src/write.js";
import { makeHost } from "../helpers/host.js";
import { advance, makeThread, REVIEW_META, type TestThread } from "../helpers/thread.js";

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(() => made.remove());

async function prompt(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const host = makeHost(argv, made.root, env);
  return { code: await runPrompt(host), ...host.written };
}

describe("uwf-agent-prompt", () => {
  it("prints the prompt that an agent of the kit would get", async () => {
    let seen = "";
    await runAgent(
      {
        name: "uwf-test",
        run: (context) => {
          seen = context.prompt;
          return { kind: "text", text: "" };
        },
      },
      makeHost([made.thread, "reviewer"], made.root),
    );
    expect(await prompt([made.thread, "reviewer"])).toEqual({ code: 0, out: seen, err: "" });
  });

  it("prints everything that a program may want to know as JSON", async () => {
    const { out } = await prompt(["--json", made.thread, "reviewer"]);
    expect(JSON.parse(out)).toEqual({
      thread: made.thread,
      role: "reviewer",
      head: made.start,
      sessionId: null,
      prompt: expect.stringContaining("# Task"),
      task: "Fix the bug.",
      outputFormat: expect.stringContaining("approved"),
      meta: REVIEW_META,
      steps: [],
    });
  });

  it("returns the session that the agent can continue, and its prompt", async () => {
    const host = makeHost(["--agent", "uwf-mine", "--session-id", "s-1", made.thread, "reviewer"], made.root);
    await runWrite(host, {
      stdin: () => Buffer.from("---\napproved: false\n---\n"),
      file: () => Buffer.alloc(0),
    });
    await advance(made, made.start, host.written.out.trim() as Hash);
    const asked = async (...options: readonly string[]) =>
      JSON.parse((await prompt(["--json", ...options, made.thread, "reviewer"])).out);
    expect(await asked("--agent", "uwf-mine")).toMatchObject({
      sessionId: "s-1",
      prompt: expect.stringContaining("since your last step"),
      steps: [{ role: "reviewer", output: { approved: false }, agent: "uwf-mine" }],
    });
    const fresh = { sessionId: null, prompt: expect.stringContaining("# Task") };
    expect(await asked("--agent", "uwf-other")).toMatchObject(fresh);
    expect(await asked("--agent", "uwf-mine", "--fresh")).toMatchObject(fresh);
    expect((await prompt(["--agent", "uwf-mine", made.thread, "reviewer"])).out).not.toContain(
      "since your last step",
    );
  });

  it.each([
    [["--fast", "T", "reviewer"], {}, 2, "error[USAGE]: unknown option --fast"],
    [["T"], {}, 2, "error[USAGE]: a thread id and a role are needed"],
    [["01ARZ3NDEKTSV4RRFFQ69G5FAV", "reviewer"], {}, 3, "error[THREAD_NOT_FOUND]"],
  ])("refuses what does not exist: %j", async (argv, env, code, error) => {
    expect(await prompt(argv, env)).toMatchObject({ code, out: "", err: expect.stringContaining(error) });
  });

  it("refuses a role that the workflow does not have, and a head that has moved", async () => {
    expect(await prompt([made.thread, "tester"])).toMatchObject({ code: 4, out: "" });
    const moved = await prompt([made.thread, "reviewer"], { UWF_HEAD: "0000000000000" });
    expect(moved).toMatchObject({ code: 75, out: "", err: expect.stringContaining("error[HEAD_MOVED]") });
  });

  it("has a help with examples first", async () => {
    expect((await prompt(["--help"])).out).toMatch(/^uwf-agent-prompt "\$thread" "\$role" \|/);
  });
});
