import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MOCK, RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";

/** TURNS whose checker ends the thread as failed when it rejects. */
const FAILING = TURNS.replace("{ role: maker, condition: rejected }", "{ role: $FAIL, condition: rejected }");

const SCENARIO = `roles:
  maker: [{ reply: "---\\ntext: Done\\n---\\n" }]
  checker: [{ reply: "---\\napproved: false\\n---\\n" }]
`;

async function startFailing(box: Sandbox) {
  await box.json(["workflow", "put", box.write("turns.yaml", FAILING)]);
  const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
  const agent = ["--agent", `'${MOCK}' --scenario '${box.write("scenario.yaml", SCENARIO)}'`];
  return { thread, agent };
}

describe("a transition to $FAIL", () => {
  it.each(RUNTIMES)(
    "ends the thread as failed: exit 10, with the last state on stdout (%s)",
    async (runtime) => {
      const box = sandbox(runtime);
      const { thread, agent } = await startFailing(box);
      expect(await box.json(["thread", "step", thread, ...agent])).toMatchObject({ done: false });
      const ran = await box.uwf(["thread", "step", thread, ...agent]);
      expect(ran.code).toBe(10);
      const state = JSON.parse(ran.stdout);
      expect(state).toMatchObject({ thread, done: true, reason: "failed" });
      expect(ran.stderr).toContain(`error[THREAD_FAILED]: thread ${thread} has ended as failed`);

      const [line = ""] = readFileSync(join(box.root, "history.jsonl"), "utf8").split("\n");
      expect(JSON.parse(line)).toMatchObject({ thread, head: state.head, reason: "failed" });
      const logged = await box.json<readonly object[]>(["log", "--thread", thread]);
      expect(logged.at(-1)).toMatchObject({ reason: "failed", content: "the thread has ended as failed" });
      expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true, reason: "failed" });
      expect((await box.uwf(["thread", "read", thread])).stdout).toContain(
        "- state: ended as failed, 2 steps",
      );
      expect(await box.json(["thread", "next", thread])).toMatchObject({ next: "$FAIL" });
      const again = await box.uwf(["thread", "step", thread, ...agent]);
      expect(again).toMatchObject({ code: 8, stdout: "" });
      expect(again.stderr).toContain("has ended as failed");
    },
  );

  it("is reported by thread run as well, and as one object with --error-format json", async () => {
    const box = sandbox();
    const { thread, agent } = await startFailing(box);
    const ran = await box.uwf(["thread", "run", thread, ...agent, "--error-format", "json"]);
    expect(ran.code).toBe(10);
    expect(JSON.parse(ran.stdout)).toMatchObject({ done: true, reason: "failed" });
    const failure = JSON.parse(ran.stderr.trim().split("\n").at(-1) ?? "");
    expect(failure).toMatchObject({ code: "THREAD_FAILED", retryable: false, data: { thread } });
  });

  it("ends a fork of the last step at once, without an agent", async () => {
    const box = sandbox();
    const { thread, agent } = await startFailing(box);
    const { stdout } = await box.uwf(["thread", "run", thread, ...agent]);
    const { thread: fork } = await box.json(["thread", "fork", JSON.parse(stdout).head]);
    const ran = await box.uwf(["thread", "step", fork, "--agent", "/nowhere"]);
    expect(ran.code).toBe(10);
    expect(JSON.parse(ran.stdout)).toMatchObject({ thread: fork, done: true, reason: "failed" });
  });

  it("travels with the thread from one storage root to another", async () => {
    const [from, to] = [sandbox(), sandbox()];
    const { thread, agent } = await startFailing(from);
    await from.uwf(["thread", "run", thread, ...agent]);
    const file = join(from.cwd, "thread.export");
    await from.json(["cas", "export", thread, "-o", file]);
    await to.json(["cas", "import", file]);
    expect(await to.json(["thread", "show", thread])).toMatchObject({ done: true, reason: "failed" });
  });

  it("stays one when the archive was interrupted: the next step completes it, and exits 8", async () => {
    const box = sandbox();
    const { thread } = await startFailing(box);
    const { head } = await box.json(["thread", "show", thread]);
    const ending = { head, reason: "failed", completedAt: 1_700_000_000_000 };
    box.write(join(box.root, "runs", thread, "ending"), `${JSON.stringify(ending)}\n`);
    expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true, reason: "failed" });
    const ran = await box.uwf(["thread", "step", thread, "--agent", "/nowhere"]);
    expect(ran).toMatchObject({ code: 8, stdout: "" });
    expect(ran.stderr).toContain("has ended as failed");
    const lines = readFileSync(join(box.root, "history.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ thread, head, reason: "failed" }]);
    expect(box.read("threads.yaml")).not.toContain(thread);
    expect(await box.json(["thread", "list", "--all"])).toMatchObject([{ thread, done: true }]);
    expect((await box.uwf(["thread", "step", thread])).code).toBe(8);
  });

  it("has no transitions of its own", async () => {
    const box = sandbox();
    const file = box.write("bad.yaml", `${FAILING}  $FAIL:\n    - { role: maker, condition: null }\n`);
    const ran = await box.uwf(["workflow", "put", file]);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("$FAIL ends the thread, it has no transitions");
  });
});

describe("thread run", () => {
  it("exits 9 with the last state when it stops unfinished", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const ran = await box.uwf(["thread", "run", thread, "--agent", zoo("valid"), "--max-steps", "1"]);
    expect(ran.code).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject({ thread, done: false });
    expect(ran.stderr).toContain(`error[RUN_UNFINISHED]: thread ${thread} has not ended after 1 step`);
    expect(ran.stderr).toContain(`hint: run it again to continue: \`uwf thread run ${thread}\``);
  });
});
