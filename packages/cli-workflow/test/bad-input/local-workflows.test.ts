import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentRuns } from "../support/logs.js";
import { type Doc, type Sandbox, sandbox } from "../support/uwf.js";
import { TURNS, zoo } from "../support/workflows.js";

// A project's own `.workflows/` comes from someone else's repository.

/** What config.yaml decides, and the environment. */
const FORBIDDEN = [
  "agents",
  "agent",
  "defaultAgent",
  "agentOverrides",
  "command",
  "args",
  "env",
  "retries",
  "providers",
  "baseUrl",
  "apiKeyEnv",
  "models",
  "defaultModel",
  "storageRoot",
  "cwd",
];

/** The places of a workflow that are maps of ours, by a line behind which keys of that map can stand. */
const LEVELS: readonly (readonly [string, string])[] = [
  ["the workflow", "description: Two roles in turn\n"],
  ["a role", "    goal: Make it\n"],
  ["a condition", "    description: sent back\n"],
];

const WITH_KEYS = (line: string): string => {
  const indent = /^ */.exec(line)?.[0] ?? "";
  return TURNS.replace(line, `${line}${FORBIDDEN.map((key) => `${indent}${key}: x\n`).join("")}`);
};

async function refused(box: Sandbox, name: string) {
  const ran = await box.uwf(["thread", "start", name, "-p", "x"]);
  expect(ran).toMatchObject({ code: 4, stdout: "" });
  expect(box.snapshot()).toEqual({});
  return ran.stderr;
}

describe("a local workflow cannot say", () => {
  it.each(LEVELS)("at the level of %s who runs it, where and with what", async (_level, line) => {
    const box = sandbox();
    box.write(".workflows/turns.yaml", WITH_KEYS(line));
    const stderr = await refused(box, "turns");
    // A role may say that a person plays it, and nothing else.
    for (const key of FORBIDDEN)
      expect(stderr).toMatch(
        key === "agent" ? /unknown key "agent"|agent must be human/ : `unknown key "${key}"`,
      );
  });

  it("in a transition neither", async () => {
    const box = sandbox();
    const keys = FORBIDDEN.map((key) => `, ${key}: x`).join("");
    box.write(
      ".workflows/turns.yaml",
      TURNS.replace("{ role: checker, condition: null }", `{ role: checker, condition: null${keys} }`),
    );
    const stderr = await refused(box, "turns");
    for (const key of FORBIDDEN) expect(stderr).toContain(`unknown key "${key}"`);
  });

  it("in a schema neither; as names of fields they are just names", async () => {
    const box = sandbox();
    const meta = (more: string): string =>
      TURNS.replace("        text: { type: string }\n", `        text: { type: string }\n${more}`);
    box.write(
      ".workflows/turns.yaml",
      TURNS.replace("required: [text]", "required: [text]\n      command: x"),
    );
    expect(await refused(box, "turns")).toContain("command");
    box.write(".workflows/turns.yaml", meta("        command: { type: string }\n"));
    expect((await box.uwf(["thread", "start", "turns", "-p", "x"])).code).toBe(0);
  });

  it("by its name or the names of its roles which agent plays them, where the user's config names none", async () => {
    const box = sandbox();
    const roles = TURNS.replaceAll("maker", "constructor").replace("name: turns", "name: evil");
    box.write(".workflows/evil.yaml", roles);
    const { thread } = await box.json(["thread", "start", "evil", "-p", "x"]);
    const config = { agents: { it: { command: "/bin/false" } }, agentOverrides: { turns: { maker: "it" } } };
    box.write(join(box.root, "config.yaml"), JSON.stringify(config));
    const ran = await box.uwf(["thread", "step", thread]);
    expect(ran.stderr).toContain("error[NO_AGENT]");
    expect(agentRuns(box)).toBe(0);
  });

  it("anything to a shell: its texts reach the agent as they are", async () => {
    const box = sandbox();
    const evil = "$(touch owned) `touch owned` ; touch owned";
    box.write(".workflows/turns.yaml", TURNS.replace("goal: Make it", `goal: "${evil}"`));
    const { thread } = await box.json(["thread", "start", "turns", "-p", evil]);
    expect((await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).code).toBe(0);
    expect((await box.uwf(["thread", "read", thread])).stdout).toContain(evil);
    expect(spawnSync("ls", ["-a", box.cwd], { encoding: "utf8" }).stdout).not.toContain("owned");
  });
});

describe("a local workflow that leads elsewhere", () => {
  const SECRET = "the: secret\nof: another\n";

  it.each([
    [
      "as a link to a file",
      (box: Sandbox, out: string) => symlinkSync(out, join(box.cwd, ".workflows/out.yaml")),
    ],
    [
      "as a folder that is a link",
      (box: Sandbox, out: string) => symlinkSync(join(out, ".."), join(box.cwd, ".workflows/out")),
    ],
    [
      "as a link through the current folder",
      (box: Sandbox) => symlinkSync("../../outside/index.yaml", join(box.cwd, ".workflows/out.yml")),
    ],
  ])("is refused %s, and shows nothing of it", async (_how, link) => {
    const box = sandbox();
    const outside = box.write("../outside/index.yaml", SECRET);
    mkdirSync(join(box.cwd, ".workflows"));
    link(box, outside);
    const stderr = await refused(box, "out");
    expect(stderr).toContain("leads out of .workflows");
    expect(stderr).not.toContain("secret");
    expect(await box.json<readonly Doc[]>(["workflow", "list"])).toEqual([]);
  });

  it("is not looked for where .workflows itself leads out of the project", async () => {
    const box = sandbox();
    box.write("../outside/out.yaml", SECRET);
    mkdirSync(join(box.cwd, ".git"));
    symlinkSync("../outside", join(box.cwd, ".workflows"));
    const ran = await box.uwf(["thread", "start", "out", "-p", "x"]);
    expect(ran.code).toBe(3);
    expect(ran.stderr).not.toContain("secret");
  });
});

describe("an entry of .workflows that is not a regular file", () => {
  it("is refused at once, and does not spoil the list", async () => {
    const box = sandbox();
    const folder = join(box.cwd, ".workflows");
    box.write(".workflows/turns.yaml", TURNS);
    expect(spawnSync("mkfifo", [join(folder, "fifo.yaml")]).status).toBe(0);
    mkdirSync(join(folder, "folder.yaml"));
    symlinkSync("/dev/zero", join(folder, "zero.yaml"));
    box.write(".workflows/big.yaml", `${TURNS}# ${"x".repeat(2 * 1024 * 1024)}\n`);
    const server = createServer().listen(join(folder, "socket.yaml"));
    const expected = { fifo: 3, folder: 3, zero: 4, big: 4, socket: 74 };
    for (const [name, code] of Object.entries(expected)) {
      const ran = await box.uwf(["thread", "start", name, "-p", "x"]);
      expect({ name, code: ran.code, stdout: ran.stdout }).toEqual({ name, code, stdout: "" });
      expect(ran.stderr).toContain(`${name}.yaml`);
    }
    server.close();
    const names = (await box.json<readonly Doc[]>(["workflow", "list"])).map(({ name }) => name);
    expect(names).toContain("turns");
    expect((await box.uwf(["thread", "start", "turns", "-p", "x"])).code).toBe(0);
  });
});
