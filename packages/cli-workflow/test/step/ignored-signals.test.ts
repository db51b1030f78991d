import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RUNTIMES, sandbox } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";

describe.each(RUNTIMES)("signals that uwf's caller ignores, on %s", (runtime) => {
  // As `nohup` and a script's `&` do; the agent is started by uwf, and is in a process group of its own.
  it.each(["step", "run"])("end neither thread %s nor its agent", async (command) => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const signalling = box.write(
      "signals",
      `#!/bin/sh\nfor signal in HUP INT TERM; do kill -$signal $PPID; done\nkill -HUP 0\nkill -INT 0\nexec ${zoo("valid")} "$@"\n`,
    );
    chmodSync(signalling, 0o755);
    const through = ["/bin/sh", "-c", "trap '' HUP INT TERM; exec \"$@\"", "sh"];
    const ran = await box.uwf(["thread", command, thread, "--agent", signalling], { through });
    expect(ran).toMatchObject({ code: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ thread, done: command === "run" });
  });
});

describe("with umask 0", () => {
  it("what commands append to is its owner's alone", async () => {
    const box = sandbox();
    const through = ["/bin/sh", "-c", 'umask 0; exec "$@"', "sh"];
    const run = (...args: readonly string[]) => box.json(args, { through });
    await run("workflow", "put", box.write("turns.yaml", TURNS));
    const [first, second] = [
      await run("thread", "start", "turns", "-p", "a"),
      await run("thread", "start", "turns", "-p", "b"),
    ];
    await run("thread", "run", first.thread, "--agent", zoo("valid"));
    await run("thread", "kill", second.thread);
    await run("thread", "rm", second.thread);
    const files = readdirSync(box.root, { recursive: true, encoding: "utf8" });
    const appended = files.filter((name) => name.endsWith(".jsonl"));
    expect(appended).toEqual(
      expect.arrayContaining(["history.jsonl", "registry-history.jsonl", "removed.jsonl"]),
    );
    expect(appended.some((name) => name.startsWith("logs/"))).toBe(true);
    const modes = appended.map((name) => [name, statSync(join(box.root, name)).mode & 0o777]);
    expect(modes).toEqual(appended.map((name) => [name, 0o600]));
  });

  it("nothing in the storage root can be written by everybody, while an agent runs and afterwards", async () => {
    const box = sandbox();
    const before = process.umask(0);
    try {
      const thread = await startTurns(box);
      const seen = join(box.cwd, "seen");
      const finds = box.write(
        "finds",
        `#!/bin/sh\nfind "$UNCAGED_WORKFLOW_STORAGE_ROOT" ! -type l -perm -o+w >>'${seen}'\numask >'${seen}.umask'\nexec ${zoo("valid")} "$@"\n`,
      );
      chmodSync(finds, 0o755);
      await box.json(["setup", "--agent", finds]);
      await box.json(["thread", "note", thread, "hello"]);
      await box.json(["thread", "limit", thread, "--max-steps", "9"]);
      await box.json(["thread", "step", thread]);
      await box.uwf(["thread", "step", thread, "--agent", zoo("exit3")]);
      await box.json(["thread", "step", thread]);
      await box.json(["cas", "pack"]);
      expect(openToAll(box.root)).toEqual([]);
      expect([existsSync(seen) && statSync(seen).size, statSync(`${seen}.umask`).size]).toEqual([0, 5]);
    } finally {
      process.umask(before);
    }
  });
});

function openToAll(root: string): readonly string[] {
  const paths = readdirSync(root, { recursive: true }).map((path) => join(root, String(path)));
  return paths.filter((path) => (statSync(path).mode & 0o002) !== 0);
}
