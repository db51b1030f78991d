import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeThread, REVIEW_META, reply, type TestThread, writeScenario } from "../helpers.js";

const program = join(import.meta.dirname, "../../dist/bin/uwf-mock.js");

// The bundle that the test script makes first, on Node.js.
describe("the binary uwf-mock", () => {
  let made: TestThread;

  beforeAll(async () => {
    made = await makeThread({ reviewer: REVIEW_META });
  });

  afterAll(() => made.remove());

  function run(args: readonly string[], scenario: unknown, stdout: number | "pipe" = "pipe") {
    const env = {
      PATH: process.env.PATH,
      HOME: made.root,
      UNCAGED_WORKFLOW_STORAGE_ROOT: made.root,
      UWF_MOCK_SCENARIO: writeScenario(made, scenario),
    };
    const words = [program, ...args];
    return spawnSync(process.execPath, words, {
      env,
      cwd: made.root,
      encoding: "utf8",
      stdio: ["ignore", stdout, "pipe"],
    });
  }

  it("prints the hash as its last line, after its noise, into a file as well", () => {
    const scenario = { roles: { reviewer: [{ reply: reply(true), stdoutNoise: "loading…", stderr: "hm" }] } };
    const piped = run([made.thread, "reviewer"], scenario);
    expect(piped).toMatchObject({ status: 0, stderr: "hm\n" });
    expect(piped.stdout).toMatch(/^loading…\n[0-9A-F][0-9A-Z]{12}\n$/);
    const file = join(made.root, "stdout");
    const fd = openSync(file, "a");
    expect(run([made.thread, "reviewer"], scenario, fd).status).toBe(0);
    closeSync(fd);
    expect(readFileSync(file, "utf8")).toMatch(/[0-9A-F][0-9A-Z]{12}\n$/);
  });

  it("exits with the scenario's code, with and without a reply", () => {
    const withReply = run([made.thread, "reviewer"], {
      roles: { reviewer: [{ reply: reply(true), exitCode: 5 }] },
    });
    expect(withReply.status).toBe(5);
    expect(withReply.stdout).not.toBe("");
    const without = run([made.thread, "reviewer"], { roles: { reviewer: [{ exitCode: 7 }] } });
    expect(without).toMatchObject({ status: 7, stdout: "" });
  });

  it("prints its version", () => {
    expect(run(["--version"], {}).stdout).toMatch(/^uwf-mock \d+\.\d+\.\d+\n$/);
  });

  it("stops on SIGTERM while it waits", async () => {
    const scenario = { roles: { reviewer: [{ reply: reply(true), delayMs: 600_000, stderr: "waiting" }] } };
    const env = { PATH: process.env.PATH, UNCAGED_WORKFLOW_STORAGE_ROOT: made.root };
    const args = ["--scenario", writeScenario(made, scenario), made.thread, "reviewer"];
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      if (text.includes("waiting")) child.kill("SIGTERM");
    });
    const [code] = await once(child, "close");
    expect(code).toBe(143);
    expect(stderr).toContain("error[INTERRUPTED]");
  });
});
