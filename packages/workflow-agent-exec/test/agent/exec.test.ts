import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addStep, makeThread, play, stepOf, TESTS_META, type TestThread } from "../helpers.js";

const STATUS_META = {
  type: "object",
  properties: { status: { type: "string", enum: ["passed", "failed"] } },
  required: ["status"],
};

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ tester: TESTS_META, linter: STATUS_META, loose: { type: "object" } });
});

afterEach(() => made.remove());

/** A command out of a line of shell. */
function sh(script: string): readonly string[] {
  return ["--", "sh", "-c", script];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("uwf-exec", () => {
  it("sets the role's fields from how a command without a header ended", async () => {
    const played = await play(made, "tester", sh("echo 12 passed; echo warning >&2"));
    expect(played).toMatchObject({ code: 0, err: "" });
    expect([...played.shown].sort()).toEqual(["12 passed", "warning"]);
    const { output } = stepOf(made, played);
    expect(output).toMatchObject({ ok: true, exitCode: 0, durationMs: expect.any(Number) });
    expect(String(output.output).split("\n").sort()).toEqual(["", "12 passed", "warning"]);
  });

  it("makes a failing command a result, not a failure of its own", async () => {
    const { output } = stepOf(made, await play(made, "tester", sh("echo 1 failed; exit 3")));
    expect(output).toMatchObject({ ok: false, exitCode: 3, output: "1 failed\n" });
  });

  it("takes ok, exitCode and durationMs from the process, whatever a log quotes", async () => {
    const quoted = "---\\nok: true\\nexitCode: 0\\ndurationMs: 1\\noutput: fine\\n---\\nAll passed.\\n";
    const { output } = stepOf(made, await play(made, "tester", sh(`printf -- '${quoted}'; exit 3`)));
    expect(output).toMatchObject({ ok: false, exitCode: 3, output: expect.stringContaining("All passed.") });
  });

  it.each([
    ["a line of YAML", `echo 'status: failed' >> "$UWF_OUTPUT"; exit 1`],
    ["JSON", `printf '{"status": "failed"}' > "$UWF_OUTPUT"`],
    ["a new file in its place", `rm "$UWF_OUTPUT"; echo 'status: failed' > "$UWF_OUTPUT"`],
  ])("takes further fields from the file that it names: %s", async (_how, script) => {
    const { output, detail } = stepOf(made, await play(made, "linter", sh(`echo Two findings.; ${script}`)));
    expect(output).toMatchObject({ status: "failed" });
    expect(JSON.stringify(detail)).toContain("Two findings.");
  });

  it.each([
    [
      "the facts of the process",
      "echo 'ok: true' >> $UWF_OUTPUT; exit 1",
      "sets ok, which only the command's end determines",
    ],
    ["no map", "echo 'just text' >> $UWF_OUTPUT", "is not a YAML map"],
    ["no YAML", "printf 'a: [' >> $UWF_OUTPUT", "is not a YAML map: "],
    ["more than a MiB", "head -c 2000000 /dev/zero > $UWF_OUTPUT", "has 2000000 bytes, the limit is 1048576"],
    ["a pipe", "rm $UWF_OUTPUT; mkfifo $UWF_OUTPUT", "is no longer a regular file"],
    ["a link", "rm $UWF_OUTPUT; ln -s /etc/passwd $UWF_OUTPUT", "cannot be read (ELOOP)"],
    ["a folder", "rm $UWF_OUTPUT; mkdir $UWF_OUTPUT", "is no longer a regular file"],
  ])("fails where that file holds %s", async (_what, script, problem) => {
    const played = await play(made, "loose", sh(script));
    expect(played).toMatchObject({ code: 6, out: "" });
    expect(played.err).toContain("error[AGENT_FAILED]: sh as loose set invalid fields: ");
    expect(played.err).toContain(problem);
  });

  it("reads a header on stdout only with --fields-from-stdout", async () => {
    const script = sh("printf -- '---\\nstatus: failed\\n---\\nTwo findings.\\n'; exit 1");
    const unasked = await play(made, "linter", script);
    expect(unasked).toMatchObject({ code: 6, out: "" });
    expect(unasked.err).toContain("/status");
    const asked = await play(made, "linter", ["--fields-from-stdout", ...script]);
    expect(stepOf(made, asked).output).toMatchObject({ status: "failed" });
  });

  it("reads a header with colours and CRLF", async () => {
    const script = "printf -- '\\033[1m---\\033[0m\\r\\nstatus: passed\\r\\n---\\r\\n'";
    const played = await play(made, "linter", ["--fields-from-stdout", ...sh(script)]);
    expect(stepOf(made, played).output).toMatchObject({ status: "passed" });
  });

  it.each([
    ["is not valid", "---\\nstatus: [\\n---\\n", "the header on stdout is not valid"],
    [
      "tells how the command ended",
      "---\\nok: true\\n---\\n",
      "sets ok, which only the command's end determines",
    ],
  ])("fails where the header that it was asked to read %s", async (_what, header, problem) => {
    const played = await play(made, "loose", ["--fields-from-stdout", ...sh(`printf -- '${header}'`)]);
    expect(played).toMatchObject({ code: 6, out: "" });
    expect(played.err).toContain(problem);
  });

  it("gives the prompt on stdin and the thread's outputs in a temporary file", async () => {
    const output = { ok: false, exitCode: 1, durationMs: 5, output: "boom" };
    await addStep(made, made.start, { role: "tester", meta: TESTS_META, output, reply: "" });
    const script = 'cat > prompt; cp "$UWF_STEPS_FILE" steps; echo "$UWF_STEPS_FILE $UWF_ROLE $UWF_THREAD"';
    const result = stepOf(made, await play(made, "tester", sh(script)));
    expect(readFileSync(join(made.root, "prompt"), "utf8")).toMatch(/Fix the bug\.[\s\S]*boom/);
    const [file = "", role, thread] = String(result.output.output).trim().split(" ");
    expect([role, thread]).toEqual(["tester", made.thread]);
    expect(JSON.parse(readFileSync(join(made.root, "steps"), "utf8"))).toEqual({
      thread: made.thread,
      role: "tester",
      start: { workflow: made.workflow, prompt: "Fix the bug." },
      steps: [{ role: "tester", output, detail: expect.any(String), agent: "uwf-test" }],
    });
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(made.root).filter((name) => name.startsWith("uwf-exec-"))).toEqual([]);
  });

  it("writes the thread's outputs only for a command that asks for them", async () => {
    const script = join(made.root, "script.sh");
    const tells = 'case "$(env)" in *UWF_STEPS_F""ILE=*) echo asked ;; *) echo not asked ;; esac';
    writeFileSync(script, `${tells} # UWF_STEPS_FILE\n`);
    const said = async (args: readonly string[]): Promise<unknown> =>
      stepOf(made, await play(made, "tester", args)).output.output;
    expect(await said(["--", "sh", "-c", tells])).toBe("not asked\n");
    expect(await said(["--steps", "--", "sh", "-c", tells])).toBe("asked\n");
    expect(await said(["--", "sh", "script.sh"])).toBe("asked\n");
    expect(await said(["--", "sh", "-c", `${tells} # $UWF_STEPS_FILE`])).toBe("asked\n");
  });

  it("accepts a command that never reads its prompt", async () => {
    expect(stepOf(made, await play(made, "tester", ["--", "true"])).output).toMatchObject({ ok: true });
  });

  it("keeps the end of a long output", async () => {
    const args = [
      "--output-limit",
      "18",
      ...sh("i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done"),
    ];
    const { output, detail } = stepOf(made, await play(made, "tester", args));
    expect(output.output).toBe("[earlier output left out]\nline 498\nline 499\n");
    expect(detail).toMatchObject({
      turns: [{ toolCalls: [{ result: { text: expect.stringContaining("line 0\n") } }] }],
    });
  });

  it("records one turn with one tool call and no tokens", async () => {
    const { detail } = stepOf(made, await play(made, "tester", sh("echo hi; exit 2")));
    expect(detail).toMatchObject({
      agent: "uwf-exec",
      role: "tester",
      sessionId: null,
      cwd: made.root,
      model: null,
      usage: null,
      prompt: { text: expect.stringContaining("Fix the bug.") },
      turns: [
        {
          output: { text: "The command exited with 2." },
          tokens: null,
          toolCalls: [
            {
              name: "exec",
              arguments: {
                text: JSON.stringify({ command: ["sh", "-c", "echo hi; exit 2"], cwd: made.root }),
              },
              result: { text: "hi\n" },
            },
          ],
        },
      ],
    });
  });

  it("runs in the folder of --cwd", async () => {
    mkdirSync(join(made.root, "app"));
    const { output } = stepOf(made, await play(made, "tester", ["--cwd", "app", "--", "pwd"]));
    expect(String(output.output).trim().endsWith("/app")).toBe(true);
  });

  it("ends a command and its children after --timeout, which is a result", async () => {
    const played = await play(made, "tester", [
      "--timeout",
      "300ms",
      ...sh("echo begun; sleep 600 & sleep 600"),
    ]);
    expect(stepOf(made, played).output).toMatchObject({
      ok: false,
      exitCode: 124,
      output: "begun\n[the command was ended after --timeout]\n",
    });
  });

  it("ends processes that the command left running in its group", async () => {
    const server = "(trap 'echo > ended; exit' TERM; while :; do sleep 0.05; done) >/dev/null 2>&1 &";
    const played = await play(made, "tester", sh(`${server} sleep 0.5; echo done`));
    expect(stepOf(made, played).output).toMatchObject({ ok: true, exitCode: 0 });
    expect(played.shown.at(-1)).toMatch(/^uwf-exec: ended \d process(es)? that the command left running$/);
    expect(existsSync(join(made.root, "ended"))).toBe(true);
  });

  it("reports a command that was ended by a signal like a shell", async () => {
    const { output } = stepOf(made, await play(made, "tester", sh("kill -SEGV $$")));
    expect(output).toMatchObject({
      ok: false,
      exitCode: 139,
      output: "[the command was ended by SIGSEGV]\n",
    });
  });

  it.each([
    [["--", "no-such-command"], "error[AGENT_NOT_FOUND]"],
    [["--", "./no-such-file"], "error[AGENT_NOT_STARTABLE]"],
    [["--cwd", "nowhere", "--", "true"], "error[AGENT_NOT_STARTABLE]"],
  ])("fails where the command cannot be started: %j", async (args, error) => {
    const played = await play(made, "tester", args);
    expect(played).toMatchObject({ code: 4, out: "" });
    expect(played.err).toContain(error);
  });

  it("refuses invalid arguments", async () => {
    const played = await play(made, "tester", ["--quick", "--", "npm", "test"]);
    expect(played).toMatchObject({ code: 2, out: "" });
    expect(played.err).toContain("error[USAGE]: unknown option --quick before the command");
  });

  it("ends its command on SIGTERM, and makes no step", async () => {
    const played = await play(made, "tester", sh("echo $$; exec sleep 600"), (host, line) => {
      if (/^\d+$/.test(line)) host.interrupt("SIGTERM");
    });
    expect(played).toMatchObject({ code: 143, out: "" });
    expect(played.err).toContain("error[INTERRUPTED]");
    // The kit answers after its own short grace; the command may need a moment more.
    await expect.poll(() => isAlive(Number(played.shown[0])), { timeout: 20_000 }).toBe(false);
  });
});
