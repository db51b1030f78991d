import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive, makeAgent, makeThread, REVIEW_META, type TestThread } from "../helpers.js";

const launcher = join(import.meta.dirname, "../../bin/uwf-acp");
const runtimes = spawnSync("bun", ["--version"]).status === 0 ? ["node", "bun"] : ["node"];

// The launcher, on Node.js, of the bundle that the test script makes first.
describe("the binary uwf-acp", () => {
  let made: TestThread;

  beforeEach(async () => {
    made = await makeThread({ reviewer: REVIEW_META });
  });

  afterEach(() => made.remove());

  function envOn(runtime: string): NodeJS.ProcessEnv {
    const { PATH } = process.env;
    return { PATH, HOME: made.root, UNCAGED_WORKFLOW_STORAGE_ROOT: made.root, UWF_RUNTIME: runtime };
  }

  it.each(runtimes)("prints the hash of the step, and leaves no process behind, on %s", (runtime) => {
    const fake = makeAgent(made.root, `process.stderr.write("thinking\\n");`);
    const words = ["--", fake.command, "acp", made.thread, "reviewer"];
    const result = spawnSync(launcher, words, { cwd: made.root, env: envOn(runtime), encoding: "utf8" });
    expect(result).toMatchObject({ status: 0, stderr: "thinking\n" });
    expect(result.stdout).toMatch(/^[0-9A-F][0-9A-Z]{12}\n$/);
    expect(fake.started().some(isAlive)).toBe(false);
  });

  it.each(runtimes)("ends an agent that it kept for a correction, on %s", async (runtime) => {
    const body = `on["initialize"] = () => ({ protocolVersion: 1 }); process.stdin.on("end", () => setInterval(() => {}, 1000));`;
    const fake = makeAgent(made.root, body);
    const words = [fake.command, made.thread, "reviewer"];
    const result = spawnSync(launcher, words, { cwd: made.root, env: envOn(runtime), encoding: "utf8" });
    expect(result.status).toBe(0);
    await expect.poll(() => fake.started().some(isAlive), { timeout: 10_000 }).toBe(false);
  });

  it("ends the agent on SIGTERM", async () => {
    const fake = makeAgent(
      made.root,
      `on["session/prompt"] = () => { process.stderr.write("started\\n"); };`,
    );
    const child = spawn(launcher, [fake.command, made.thread, "reviewer"], {
      cwd: made.root,
      env: envOn("node"),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      if (text.includes("started")) child.kill("SIGTERM");
    });
    const [code] = await once(child, "close");
    expect(code).toBe(143);
    expect(stderr).toContain("error[INTERRUPTED]");
    expect(fake.started().some(isAlive)).toBe(false);
  });

  it("checks an agent, and prints help and version", () => {
    const fake = makeAgent(made.root, "");
    const run = (words: readonly string[]) =>
      spawnSync(launcher, words, { env: envOn("node"), encoding: "utf8" });
    expect(JSON.parse(run(["--check", "--", fake.command]).stdout)).toMatchObject({ version: "fake 1.2" });
    expect(run(["--help"]).stdout).toContain("--allow <kinds>");
    expect(run(["--version"]).stdout).toMatch(/^uwf-acp \d+\.\d+\.\d+\n$/);
  });
});
