import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calls } from "../helpers/fake-llm.js";
import { type Bench, bench, configure, KEY } from "../helpers/run.js";

let at: Bench;
let child: ChildProcess | null = null;

beforeEach(async () => {
  at = await bench();
});

afterEach(async () => {
  child?.kill("SIGKILL");
  child = null;
  await at.remove();
});

const program = (name: string): string => join(import.meta.dirname, "../../dist/bin", `${name}.js`);

const environment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  HOME: at.made.root,
  UNCAGED_WORKFLOW_STORAGE_ROOT: at.made.root,
});

function ran(name: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program(name), ...args], {
    env: environment(),
    cwd: at.cwd,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe.each(["uwf-llm", "uwf-react"])("the binary %s", (name) => {
  it("checks offline whether model and key are configured", () => {
    expect(ran(name, ["--check"])).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("no config.yaml"),
    });
    configure(at.made.root, "http://127.0.0.1:1/v1", "defaultModel: small\n");
    expect(ran(name, ["--check", "--model", "big"])).toEqual({
      status: 0,
      stdout: "model big (big-1) of local at http://127.0.0.1:1/v1, key LOCAL_API_KEY is set\n",
      stderr: "",
    });
    expect(ran(name, ["--check", "--model", "huge"]).stderr).toContain("no model huge");
    expect(ran(name, ["--check", "--frob"]).stderr).toContain(`usage: ${name}`);
    writeFileSync(join(at.made.root, ".env"), "");
    expect(ran(name, ["--check"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("LOCAL_API_KEY is not set"),
    });
  });

  it("prints its version and help", () => {
    expect(ran(name, ["--version"]).stdout).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\\n$`));
    expect(ran(name, ["--help"]).stdout).toContain(`Usage: ${name} [options] <thread-id> <role>`);
  });
});

describe("SIGTERM", () => {
  it("ends uwf-react with the command that it runs; no command line has shown the key", async () => {
    const llm = await at.serve([calls(["shell_exec", { command: "echo $$ > self; sleep 600 & wait" }])]);
    configure(at.made.root, llm.baseUrl, "defaultModel: small\n");
    child = spawn(process.execPath, [program("uwf-react"), at.made.thread, "reviewer"], {
      env: environment(),
      cwd: at.cwd,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const ended = once(child, "close");
    const file = join(at.cwd, "self");
    const begun = (): boolean => existsSync(file) && readFileSync(file, "utf8").endsWith("\n");
    for (let tries = 0; tries < 1500 && !begun(); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    const command = Number(readFileSync(file, "utf8"));
    expect(command).toBeGreaterThan(1);
    for (const pid of [command, child.pid])
      expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(KEY);
    expect(readFileSync(`/proc/${command}/environ`, "utf8")).not.toContain(KEY);
    child.kill("SIGTERM");
    const [code] = await ended;
    expect(code).toBe(143);
    expect(stderr).toContain("error[INTERRUPTED]");
    const stat = `/proc/${command}/stat`;
    expect(existsSync(stat) && !/\) Z /.test(readFileSync(stat, "utf8"))).toBe(false);
  });
});
