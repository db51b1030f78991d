import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeThread, TESTS_META, type TestThread } from "../helpers.js";

const program = join(import.meta.dirname, "../../dist/bin/uwf-exec.js");

// The bundle that the test script makes first, on Node.js.
describe("the binary uwf-exec", () => {
  let made: TestThread;

  beforeEach(async () => {
    made = await makeThread({ tester: TESTS_META });
  });

  afterEach(() => made.remove());

  function run(words: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const env = { PATH: "/usr/bin:/bin", HOME: made.root, UNCAGED_WORKFLOW_STORAGE_ROOT: made.root, ...more };
    return spawnSync(process.execPath, [program, ...words], { cwd: made.root, env, encoding: "utf8" });
  }

  it("prints the hash of the step and shows what the command writes", () => {
    const ran = run(["--", "sh", "-c", "echo seen; exit 1", made.thread, "tester"]);
    expect(ran).toMatchObject({ status: 0, stderr: "seen\n" });
    expect(ran.stdout).toMatch(/^[0-9A-F][0-9A-Z]{12}\n$/);
  });

  it("passes only those keys of .env to its command that env in config.yaml lists", () => {
    writeFileSync(join(made.root, ".env"), "DEPLOY_KEY=abcdefgh-1\nMODEL_KEY=abcdefgh-2\n", { mode: 0o600 });
    const shown = (env: Readonly<Record<string, string>>) => {
      const ran = run(["--", "sh", "-c", 'echo "[$DEPLOY_KEY][$MODEL_KEY]"', made.thread, "tester"], env);
      expect(ran.status).toBe(0);
      return ran.stderr;
    };
    expect(shown({})).toBe("[][]\n");
    // uwf says so to an agent whose alias has an env.
    expect(shown({ UWF_AGENT_ENV: "DEPLOY_KEY" })).toMatch(/^\[.+\]\[\]\n$/);
  });

  it("checks whether the command can be started, without running it", () => {
    const found = run(["--check", "--", "sh", "-c", "exit 5"]);
    expect(found.status).toBe(0);
    expect(JSON.parse(found.stdout)).toEqual({
      agent: "uwf-exec",
      program: "sh",
      installed: true,
      path: expect.stringMatching(/^\/.*\/sh$/),
      version: null,
      loggedIn: null,
      how: "it can be started",
    });
    const lost = run(["--check", "--", "nowhere", "--check"]);
    expect(lost.status).toBe(6);
    expect(JSON.parse(lost.stdout)).toMatchObject({
      installed: false,
      how: "it is not on PATH (/usr/bin:/bin)",
    });
    expect(JSON.parse(run(["--check"]).stdout)).toMatchObject({ program: null, installed: false });
    expect(run(["--check", "--fast"])).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("usage: uwf-exec"),
    });
  });

  it("prints help that begins with examples, and its version", () => {
    expect(run(["--help"]).stdout).toMatch(/^uwf thread step <thread> --agent "uwf-exec -- npm test"\n/);
    expect(run(["--version"]).stdout).toMatch(/^uwf-exec \d+\.\d+\.\d+\n$/);
  });
});
