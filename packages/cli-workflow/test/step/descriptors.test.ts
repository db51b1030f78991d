import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REAL_MOCK, RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

const canBuild =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "true"]).status === 0;

const SCENARIO = JSON.stringify({ roles: { maker: [{ reply: "---\ntext: made\n---\nDone." }] } });

/** An agent that first runs a script, and then does its step as its first argument does. */
function agentThat(box: Sandbox, script: string): string {
  const scenario = box.write("scenario.json", SCENARIO);
  const agent = box.write(
    "agent",
    `#!/bin/bash\n${script}\nmock=$1\nshift\nexec "$mock" --scenario '${scenario}' "$@"\n`,
  );
  chmodSync(agent, 0o755);
  return agent;
}

/** uwf with open files of its caller: 9 and 200 write into a folder, 201 is the folder, 202 the storage root. */
function withOpenFiles(box: Sandbox, folder: string): readonly string[] {
  mkdirSync(folder);
  const script = 'exec 9>>"$1/nine" 200>>"$1/lock" 201<"$1" 202<"$2"; shift 2; exec "$@"';
  return ["bash", "-c", script, "bash", folder, box.root];
}

describe.each(RUNTIMES)("on %s, open files of the process that calls a step", (runtime) => {
  it("do not reach its agent", async () => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const open = box.write("open", "");
    const agent = agentThat(box, `readlink /proc/$$/fd/* > '${open}'`);
    const folder = join(box.cwd, "outside");
    const through = withOpenFiles(box, folder);
    const ran = await box.uwf(["thread", "step", thread, "--agent", `'${agent}' '${REAL_MOCK}'`], {
      through,
    });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const targets = readFileSync(open, "utf8").split("\n");
    expect(targets.length).toBeGreaterThan(2);
    expect(targets.filter((target) => target.startsWith(folder) || target === box.root)).toEqual([]);
  });

  it.skipIf(!canBuild)("are no way out of a sandbox", async () => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const agent = agentThat(
      box,
      "for to in '&9' '&200' /proc/self/fd/201/made /proc/self/fd/202/config.yaml; do eval \"echo x >$to\"; done 2>/dev/null",
    );
    const config = JSON.stringify({
      agents: { walled: { command: agent, args: [REAL_MOCK], sandbox: "bwrap" } },
    });
    writeFileSync(join(box.root, "config.yaml"), config);
    // Not below the working folder, where an agent may write.
    const folder = join(box.home, "outside");
    const ran = await box.uwf(["thread", "step", thread, "--agent", "walled"], {
      through: withOpenFiles(box, folder),
    });
    expect(ran).toMatchObject({ code: 0 });
    expect(readdirSync(folder).sort()).toEqual(["lock", "nine"]);
    for (const name of ["lock", "nine"]) expect(readFileSync(join(folder, name), "utf8")).toBe("");
    expect(readFileSync(join(box.root, "config.yaml"), "utf8")).toBe(config);
  });
});
