import { chmodSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCRIPT_RUNNER, sandbox, ZOO } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

// case → exit code → message; exit 0 means that the head moved, anything else that nothing did.

const FINE = [
  ["a valid hash", "valid"],
  ["noise before the hash", "noiseThenHash"],
  ["a hash with CRLF", "crlf"],
  ["a hash in colour", "colour"],
  ["a hash in lower case", "lowerCase"],
  ["5 MB of stdout before the hash", "flood"],
  ["a grandchild that holds stdout", "grandchild"],
  ["its hash and no end", "hashAndStays"],
  ["its hash and is killed", "validThenKilled"],
  ["a step of its own thread on the way", "stepsItself"],
] as const;

const FAILED = [
  ["exit 3", "exit3", "AGENT_FAILED", "exited with 3"],
  ["death by a signal", "signal", "AGENT_FAILED", "was ended by SIGKILL"],
  ["nothing", "silent", "AGENT_BAD_RESULT", "it printed nothing"],
  ["blank lines", "blank", "AGENT_BAD_RESULT", "it printed blank lines at the end"],
  ["garbage", "garbage", "AGENT_BAD_RESULT", '"I did it, trust me"'],
  ["noise after the hash", "hashThenNoise", "AGENT_BAD_RESULT", '"done!"'],
  ["a valid hash and exit 1", "validThenExit1", "AGENT_FAILED", "exited with 1"],
  ["the hash of a missing node", "missingNode", "AGENT_BAD_RESULT", "0123456789ABC"],
  ["a node of another type", "otherType", "AGENT_BAD_RESULT", "content"],
  ["another role", "wrongRole", "AGENT_BAD_RESULT", "role"],
  ["another prev", "wrongPrev", "AGENT_BAD_RESULT", "prev"],
  ["an output of another type", "outputOfOtherType", "AGENT_BAD_RESULT", "output"],
  ["an output that violates meta", "outputViolates", "AGENT_BAD_RESULT", "/text"],
  ["an output that does not exist", "missingOutput", "AGENT_BAD_RESULT", "0123456789ABC"],
  ["a detail that does not exist", "missingDetail", "AGENT_BAD_RESULT", "0123456789ABC"],
  [
    "a session with a turn that does not exist",
    "missingTurn",
    "AGENT_BAD_RESULT",
    "detail/turns/0 0123456789ABC",
  ],
] as const;

describe("a step whose agent gives", () => {
  it.each(FINE)("%s moves the head", async (_case, behaviour) => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { head: before } = await box.json(["thread", "show", thread]);
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo(behaviour)], {
      env: { UWF_GRACE_SECONDS: "0.3" },
    });
    expect(ran.stderr).not.toContain("error[");
    expect(ran.code).toBe(0);
    const { head } = await box.json(["thread", "show", thread]);
    expect(head).not.toBe(before);
    expect(JSON.parse(ran.stdout)).toMatchObject({ thread, head, done: false });
  });

  it.each(FAILED)("%s exits 6 and moves nothing", async (_case, behaviour, code, message) => {
    const box = sandbox();
    const thread = await startTurns(box);
    const threads = box.read("threads.yaml");
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo(behaviour)]);
    expect(ran).toMatchObject({ code: 6, stdout: "" });
    expect(ran.stderr).toContain(`error[${code}]: `);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).toContain("hint: ");
    expect(box.read("threads.yaml")).toBe(threads);
    const next = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(next.code).toBe(0);
  });

  it("the hash of another thread's step exits 6 and moves nothing", async () => {
    const box = sandbox();
    const other = await startTurns(box, "Another task");
    const { head: foreign } = await box.json(["thread", "step", other, "--agent", zoo("valid")]);
    const thread = await startTurns(box, "This task");
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("printsArgument", foreign)]);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain("start");
  });

  it("the step of a thread that began alike counts, for it is the same node; the log says when it was written", async () => {
    const box = sandbox();
    const [other, thread] = [await startTurns(box, "A task"), await startTurns(box, "A task")];
    const { head } = await box.json(["thread", "step", other, "--agent", zoo("valid")]);
    const stepped = await box.json(["thread", "step", thread, "--agent", zoo("printsArgument", head)]);
    expect(stepped.head).toBe(head);
    const { timestamp } = await box.json<{ readonly timestamp: number }>(["cas", "get", head, "--timestamp"]);
    const told = (await box.json<readonly { readonly writtenAt?: number }[]>(["log", "--thread", thread])).at(
      -1,
    );
    expect(told?.writtenAt).toBe(timestamp);
    const first = (await box.json<readonly { readonly writtenAt?: number }[]>(["log", "--thread", other])).at(
      -1,
    );
    expect(first?.writtenAt).toBeUndefined();
  });

  it("an edited threads.yaml exits 75: the head is not where the step found it", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("editsThreads")]);
    expect(ran.code).toBe(75);
    expect(ran.stderr).toContain("error[HEAD_MOVED]");
  });

  it("no program of that name exits 4, which no loop repeats, and says where it was looked for", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const ran = await box.uwf(["thread", "step", thread, "--agent", "uwf-nowhere"]);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain("error[AGENT_NOT_FOUND]: agent uwf-nowhere was not found on PATH");
    const asked = ["thread", "step", thread, "--agent", "uwf-nowhere", "--error-format", "json"];
    expect(JSON.parse((await box.uwf(asked)).stderr)).toMatchObject({
      code: "AGENT_NOT_FOUND",
      retryable: false,
      data: { suggestion: null },
    });
  });

  it("a mistyped program is reported with the nearest one on PATH, or the nearest alias", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const bin = dirname(box.write("bin/uwf-hermes", "#!/bin/sh\n"));
    chmodSync(join(bin, "uwf-hermes"), 0o755);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    box.write(join(box.root, "config.yaml"), 'agents:\n  sonnet: { command: "uwf-hermes" }\n');
    for (const [typed, meant] of [
      ["uwf-hermse", "uwf-hermes"],
      ["sonet", "sonnet"],
      ["hermes", "uwf-hermes"],
    ]) {
      const ran = await box.uwf(["thread", "step", thread, "--agent", typed ?? ""], { env });
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain(`did you mean "${meant}"?`);
    }
  });

  it("a file that is not executable exits 4", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const file = box.write("agent.txt", "just text");
    const ran = await box.uwf(["thread", "step", thread, "--agent", `'${file}'`]);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("error[AGENT_NOT_STARTABLE]");
  });

  it("arguments that the system does not take exit 4, and the hint is about them", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const args = JSON.stringify([ZOO, "valid", "x".repeat(200_000)]);
    box.write(
      join(box.root, "config.yaml"),
      `agents: { long: { command: ${SCRIPT_RUNNER}, args: ${args} } }\n`,
    );
    const ran = await box.uwf(["thread", "step", thread, "--agent", "long"]);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("its arguments or its environment are too long for this system");
    expect(ran.stderr).toContain("hint: Linux takes 128 KiB for one argument");
  });

  it("a failure is logged completely: code, exit status, last words", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "show", thread]);
    await box.uwf(["thread", "step", thread, "--agent", zoo("exit3")]);
    const day = new Date().toISOString().slice(0, 10);
    const lines = readFileSync(join(box.root, "logs", `${day}.jsonl`), "utf8")
      .trim()
      .split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      thread,
      head,
      attempt: 1,
      outcome: "failed",
      code: "AGENT_FAILED",
      exitCode: 3,
      role: "maker",
      stderr: "the model is out of credit\n",
    });
  });

  it("what uwf says begins on a line of its own, however the agent ended its last one", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const ran = await box.uwf(["thread", "step", thread, "--agent", `sh -c "printf 'no end' >&2; exit 3"`]);
    expect(ran.stderr).toMatch(/^no end\nerror\[AGENT_FAILED\]/);
  });

  it("stderr shows it as it comes", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("exit3")]);
    expect(ran.stderr).toContain("the model is out of credit\n");
  });
});

describe("an agent is started", () => {
  it("with thread and role last, the head, the run and the absolute storage root", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "show", thread]);
    const out = join(box.cwd, "seen.json");
    await box.json(["thread", "step", thread, "--agent", zoo("printsEnvironment", `'${out}'`)], {
      env: { UNCAGED_WORKFLOW_STORAGE_ROOT: "../storage", KEPT: "yes" },
    });
    const seen = JSON.parse(readFileSync(out, "utf8"));
    expect(seen.argv).toEqual(["printsEnvironment", out, thread, "maker"]);
    expect(seen.cwd).toBe(box.cwd);
    expect(seen.env).toMatchObject({ UWF_HEAD: head, UNCAGED_WORKFLOW_STORAGE_ROOT: box.root, KEPT: "yes" });
    expect(seen.env.UWF_RUN).toMatch(/^[0-9a-f]{24}$/);
  });

  it("with only the listed variables where its alias lists some", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const out = join(box.cwd, "seen.json");
    const config = {
      agents: {
        zoo: { command: SCRIPT_RUNNER, args: [ZOO, "printsEnvironment", out], env: ["KEPT"] },
      },
      defaultAgent: "zoo",
    };
    box.write(join(box.root, "config.yaml"), JSON.stringify(config));
    await box.json(["thread", "step", thread], { env: { KEPT: "yes", SECRET: "no" } });
    const { env } = JSON.parse(readFileSync(out, "utf8"));
    expect(env).toMatchObject({ KEPT: "yes", HOME: box.home });
    expect(env.PATH).toBeDefined();
    expect(env.SECRET).toBeUndefined();
  });
});
