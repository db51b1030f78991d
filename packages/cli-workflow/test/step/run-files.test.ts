import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { agentRuns, logLines } from "../support/logs.js";
import { MOCK, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const PRELOAD = resolve(import.meta.dirname, "../support/spoilt-run.cjs");

describe.skipIf(!existsSync("/dev/full"))("a file of the run that cannot be written", () => {
  it.each([
    ["pid", zoo("valid"), "cannot write", "pid: no space left on device (ENOSPC)"],
    ["folder", zoo("valid"), "cannot open", "stdout: no such file or directory (ENOENT)"],
    ["folder", `'${MOCK}'`, "cannot open", "stdout: no such file or directory (ENOENT)"],
  ])(
    "(%s) of %s is an I/O failure, which no retry follows; the thread is as it was",
    async (what, agent, ...words) => {
      const box = sandbox("node");
      const thread = await startTurns(box);
      const threads = box.read("threads.yaml");
      const env = { NODE_OPTIONS: `--require ${PRELOAD}`, UWF_TEST_SPOIL: what };
      const command = ["thread", "step", thread, "--retries", "3", "--agent", agent];
      const ran = await box.uwf(command, { env });
      expect(ran).toMatchObject({ code: 74, stdout: "" });
      for (const word of ["error[IO_FAILED]: ", ...words]) expect(ran.stderr).toContain(word);
      expect(ran.stderr).not.toContain("; retry ");
      expect(agentRuns(box)).toBe(0);
      expect(logLines(box).at(-1)).toMatchObject({ outcome: "failed", code: "IO_FAILED", exitCode: null });
      expect(box.read("threads.yaml")).toBe(threads);
      expect(readdirSync(join(box.root, "runs", thread))).toEqual(["cwd.json"]);
      expect((await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).code).toBe(0);
    },
  );
});
