import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { killNow } from "../operator/support.js";
import { agentRuns, logLines } from "../support/logs.js";
import { crossed, RUNTIMES, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const FILES = ["pid", "stdout", "stderr", "heartbeat", "report.json", "released"] as const;

/** What an agent may put in the place of a file, as commands of sh; `$file` is its path. */
const THINGS = {
  fifo: 'mkfifo "$file"',
  "device's link": 'ln -s /dev/zero "$file"',
  "circular link": 'ln -s "$file" "$file"',
  "dangling link": 'ln -s /nowhere/at/all "$file"',
  folder: 'mkdir "$file"',
} as const;

/** Delivers the text, puts `thing` in the place of `file` of its own run, and then does `last`. */
function replacer(box: Sandbox, file: string, thing: keyof typeof THINGS, last: string): string {
  const agent = box.write(
    "replacer",
    `#!/bin/sh
run="$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN" file="$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN/${file}"
${zoo("valid")} "$@" || exit
rm -f "$file"
${THINGS[thing]}
echo $$ > '${join(box.cwd, "replaced")}'
${last}
`,
  );
  chmodSync(agent, 0o755);
  return `'${agent}'`;
}

const CASES = crossed(Object.keys(THINGS) as readonly (keyof typeof THINGS)[], FILES);

describe.each(RUNTIMES)(
  "on %s, an agent that puts something else in the place of a file of its run",
  (runtime) => {
    it.each(CASES)("(a %s for its %s) hangs no step, and the thread goes on", async (thing, file) => {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      const agent = replacer(box, file, thing, "exit 0");
      const ran = await box.uwf(["thread", "step", thread, "--agent", agent]);
      if (file === "stdout") {
        expect(ran).toMatchObject({ code: 6, stdout: "" });
        expect(ran.stderr).toContain("its stdout is not a regular file any more");
        expect(logLines(box).at(-1)).toMatchObject({ code: "AGENT_BAD_RESULT" });
      } else expect(ran).toMatchObject({ code: 0 });
      expect(readdirSync(join(box.root, "runs", thread))).toEqual(["cwd.json"]);
      expect((await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).code).toBe(0);
    });
  },
);

describe.each(RUNTIMES)("on %s, such an agent that fails, with an idle limit", (runtime) => {
  const looked = crossed(
    ["fifo", "circular link", "folder"] as const,
    ["stderr", "heartbeat", "report.json"] as const,
  );
  it.each(looked)("(a %s for its %s) is reported as usual", async (thing, file) => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const command = replacer(box, file, thing, "exit 3");
    box.write(
      join(box.root, "config.yaml"),
      `agents:\n  replacer: { command: ${command}, idleSeconds: 600 }\ndefaultAgent: replacer\n`,
    );
    const ran = await box.uwf(["thread", "step", thread]);
    expect(ran).toMatchObject({ code: 6, stdout: "" });
    expect(ran.stderr).toContain("exited with 3 as maker");
    expect(readdirSync(join(box.root, "runs", thread))).toEqual(["cwd.json"]);
  });
});

describe.each(RUNTIMES)("on %s, such a run whose uwf has died", (runtime) => {
  it.each(CASES)("(a %s for its %s) is taken over or counts as abandoned", async (thing, file) => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const agent = replacer(box, file, thing, "exec sleep 600");
    const uwf = reap(box.start(["thread", "step", thread, "--agent", agent]));
    await until("the agent has replaced the file", () => existsSync(join(box.cwd, "replaced")));
    await killNow(uwf);
    expect(await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).toMatchObject({ code: 75 });
    const agentPid = Number(readFileSync(join(box.cwd, "replaced"), "utf8"));
    process.kill(agentPid, "SIGKILL");
    await until("the agent is gone", () => !existsSync(`/proc/${agentPid}`));
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(ran).toMatchObject({ code: 0 });
    expect(agentRuns(box)).toBe(file === "stdout" ? 2 : 1);
    expect(readdirSync(join(box.root, "runs", thread))).toEqual(["cwd.json"]);
  });
});
