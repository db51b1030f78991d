import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { DoctorOutput, Finding } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { ended, MOCK, type Ran, RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";
import { killNow, lockFile, moveElsewhere, startWorking } from "./support.js";

const KEY = "sk-doctor-0123456789abcdef";

const CONFIG = `providers:
  openrouter: { baseUrl: "https://openrouter.ai/api/v1", apiKeyEnv: OPENROUTER_API_KEY }
models:
  sonnet: { provider: openrouter, name: anthropic/claude-sonnet-4 }
agents:
  mock: { command: "${MOCK}", idleSeconds: 900 }
defaultAgent: mock
defaultModel: sonnet
`;

type Examined = {
  readonly code: number | null;
  readonly stdout: string;
  readonly findings: readonly Finding[];
};

async function examine(box: Sandbox, env: Readonly<Record<string, string>> = {}): Promise<Examined> {
  const ran: Ran = await box.uwf(["doctor"], { env });
  expect(ran.stderr).toBe("");
  const { ok, findings }: DoctorOutput = JSON.parse(ran.stdout);
  expect(ok).toBe(findings.every(({ status }) => status !== "error"));
  expect(ok).toBe(ran.code === 0);
  for (const { status, message, fix } of findings) {
    expect({ message, fix: fix === null }).toEqual({ message, fix: status === "ok" });
  }
  return { code: ran.code, stdout: ran.stdout, findings };
}

function of({ findings }: Examined, check: string, status: Finding["status"]): readonly string[] {
  return findings
    .filter((each) => each.check === check && each.status === status)
    .map(({ message }) => message);
}

async function healthy(box: Sandbox): Promise<string> {
  const thread = await startTurns(box);
  box.write(join(box.root, "config.yaml"), CONFIG);
  box.write(join(box.root, ".env"), `OPENROUTER_API_KEY=${KEY}\n`);
  chmodSync(join(box.root, ".env"), 0o600);
  return thread;
}

/** Every name below the storage root with its content. */
function everything(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map(
      (name) =>
        `${name} ${statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), "latin1") : ""}`,
    );
}

describe("uwf doctor", () => {
  it.each([
    ["forecast.json", "forecast.json"],
    ["cache/code", "cache/code/main-step-v20.20.2-x64.bin"],
  ])("names %s of an earlier uwf as removable, and no step reads or changes it", async (name, file) => {
    const box = sandbox("node");
    const thread = await startTurns(box);
    await healthy(box);
    const path = box.write(join(box.root, file), "[]\n");
    await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(box.read(file)).toBe("[]\n");
    const examined = await examine(box);
    expect(examined.code).toBe(0);
    const leftover = join(box.root, name);
    expect(of(examined, name, "warning")).toEqual([
      `${leftover} is from an earlier uwf and is no longer read`,
    ]);
    rmSync(leftover, { recursive: true });
    expect(of(await examine(box), name, "warning")).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  it.each(RUNTIMES)(
    "finds nothing wrong with a healthy storage root, and changes nothing (%s)",
    async (runtime) => {
      const box = sandbox(runtime);
      await healthy(box);
      const before = everything(box.root);
      const examined = await examine(box);
      const wrong = examined.findings.filter(
        ({ status, check }) => status !== "ok" && check !== "filesystem",
      );
      expect({ code: examined.code, wrong }).toEqual({ code: 0, wrong: [] });
      expect(everything(box.root)).toEqual(before);
      expect(new Set(examined.findings.map(({ check }) => check))).toEqual(
        new Set([
          "root",
          "writable",
          "disk",
          "filesystem",
          "format",
          "config.yaml",
          ".env",
          "keys",
          "agents",
          "threads.yaml",
          "history.jsonl",
          "registry.yaml",
          "references",
          "locks",
          "runs",
          "runtime",
          "clock",
        ]),
      );
      expect(of(examined, "root", "ok")[0]).toContain(`${box.root}, from UNCAGED_WORKFLOW_STORAGE_ROOT`);
      expect(of(examined, "agents", "ok")).toContainEqual(
        expect.stringMatching(/^agent mock is .*uwf-mock, uwf-mock \d/),
      );
      expect(of(examined, "runtime", "ok")[0]).toMatch(
        new RegExp(`^uwf runs on ${runtime} \\d+\\.\\d+\\.\\d+ `),
      );
      expect(examined.stdout).not.toContain(KEY);
    },
  );

  it("takes a storage root that does not exist for one that will be made, and does not make it", async () => {
    const box = sandbox();
    const examined = await examine(box);
    expect(examined.code).toBe(0);
    expect(of(examined, "root", "ok")[0]).toContain("does not exist yet");
    expect(of(examined, "config.yaml", "warning")[0]).toContain("every step needs --agent");
    expect(existsSync(box.root)).toBe(false);
  });

  it("says where the root comes from, and that one is a file", async () => {
    const box = sandbox();
    box.write(box.root, "");
    const examined = await examine(box, {
      UNCAGED_WORKFLOW_STORAGE_ROOT: "",
      WORKFLOW_STORAGE_ROOT: box.root,
    });
    expect({ code: examined.code, root: of(examined, "root", "error") }).toEqual({
      code: 74,
      root: [expect.stringContaining(`${box.root} cannot be used`)],
    });
    expect(of(await examine(box, { UNCAGED_WORKFLOW_STORAGE_ROOT: "" }), "root", "ok")[0]).toContain(
      "from HOME",
    );
  });

  it.each([
    ["config.yaml", "defaultAgent: [\n", "config.yaml", 4],
    ["threads.yaml", "garbage\n", "threads.yaml", 7],
    ["history.jsonl", "garbage\n", "history.jsonl", 7],
    ["registry.yaml", "", "registry.yaml", 7],
    ["cas/_format", "99\n", "format", 7],
  ])("names %s when it is damaged, and ends as its readers do", async (file, content, check, code) => {
    const box = sandbox();
    await healthy(box);
    box.write(join(box.root, file), content);
    const examined = await examine(box);
    expect({ code: examined.code, errors: of(examined, check, "error").length }).toEqual({ code, errors: 1 });
    expect(examined.findings.find((each) => each.status === "error")?.fix).toContain(file);
  });

  it("names heads and workflows whose nodes are missing", async () => {
    const box = sandbox();
    const thread = await healthy(box);
    rmSync(join(box.root, "cas"), { recursive: true });
    const examined = await examine(box);
    expect(examined.code).toBe(7);
    expect(of(examined, "threads.yaml", "error")[0]).toContain(thread);
    expect(of(examined, "registry.yaml", "error")[0]).toContain("turns");
  });

  it("names the variable of a missing key and no value, and files that others may read or write", async () => {
    const box = sandbox();
    await healthy(box);
    box.write(join(box.root, ".env"), `OTHER_KEY=${KEY}\n`);
    chmodSync(join(box.root, ".env"), 0o644);
    chmodSync(join(box.root, "config.yaml"), 0o664);
    const examined = await examine(box);
    expect({ code: examined.code, keys: of(examined, "keys", "error") }).toEqual({
      code: 4,
      keys: ["OPENROUTER_API_KEY of provider openrouter is not set"],
    });
    expect(of(examined, ".env", "warning")[0]).toContain("mode 0644");
    expect(of(examined, "config.yaml", "warning")[0]).toContain("your group can write");
    const set = await examine(box, { OPENROUTER_API_KEY: KEY });
    expect({ code: set.code, keys: of(set, "keys", "ok") }).toEqual({
      code: 0,
      keys: ["OPENROUTER_API_KEY of provider openrouter is set in the environment"],
    });
    expect(examined.stdout + set.stdout).not.toContain(KEY);
  });

  it("finds agents that a step would not find, and overrides that have no effect", async () => {
    const box = sandbox();
    await healthy(box);
    const config = CONFIG.replace(
      "agents:\n",
      "agents:\n  gone: { command: uwf-gone }\n  spare: { command: uwf-spare }\n",
    );
    const overrides = "agentOverrides: { turns: { maker: gone, chekcer: mock }, turn: { maker: mock } }\n";
    box.write(join(box.root, "config.yaml"), config + overrides);
    const examined = await examine(box);
    expect(examined.code).toBe(4);
    expect(of(examined, "agents", "error")).toEqual([
      expect.stringContaining("agent gone: uwf-gone was not found on PATH"),
      expect.stringContaining('agentOverrides: workflow turns has no role chekcer, did you mean "checker"?'),
    ]);
    expect(of(examined, "agents", "warning")).toEqual([
      expect.stringContaining("agent spare: uwf-spare was not found on PATH"),
      "agents gone, spare have no time limit: a run that hangs keeps its thread until you end it",
      // Beside an entry for turns it is another workflow.
      expect.stringContaining("agentOverrides: no workflow turn is registered or local here"),
    ]);
  });

  it("ends an agent that takes --version for work, with everything that it started", async () => {
    const box = sandbox();
    await healthy(box);
    const pids = join(box.cwd, "pids");
    const agent = box.write("works", `#!/bin/sh\nsleep 60 &\necho "$$ $!" > ${pids}\ncat\nwait\n`);
    chmodSync(agent, 0o755);
    box.write(join(box.root, "config.yaml"), CONFIG.replace(MOCK, agent));
    const examined = await examine(box);
    expect(of(examined, "agents", "ok")).toContainEqual(expect.stringContaining("version unknown"));
    const left = readFileSync(pids, "utf8")
      .trim()
      .split(" ")
      .filter((pid) => isLiving(Number(pid)));
    expect(left).toEqual([]);
  });

  it("finds a sandbox that cannot be built: its bwrap is not there", async () => {
    const box = sandbox();
    await healthy(box);
    const config = CONFIG.replace(`command: "${MOCK}"`, `command: "${MOCK}", sandbox: bwrap`);
    box.write(join(box.root, "config.yaml"), config);
    const bin = join(box.cwd, "bin");
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, "node"));
    const examined = await examine(box, { PATH: bin, UWF_RUNTIME: "node" });
    expect(examined.code).toBe(4);
    expect(of(examined, "agents", "error")).toEqual([
      "agent mock has `sandbox: bwrap`, and bwrap is not on PATH: its steps exit 4",
    ]);
  });

  it("shows no terminal codes of an agent's version", async () => {
    const box = sandbox();
    await healthy(box);
    const agent = box.write("colourful", "#!/bin/sh\nprintf '\\033[31mred 1.0\\033[0m\\n'\n");
    chmodSync(agent, 0o755);
    box.write(join(box.root, "config.yaml"), CONFIG.replace(MOCK, agent));
    expect(of(await examine(box), "agents", "ok")).toContain(`agent mock is ${agent}, red 1.0`);
  });

  it.each(["first", "late"])(
    "shows no key that an agent says in the place of its version (%s)",
    async (place) => {
      const box = sandbox();
      await healthy(box);
      // The second one would be cut in two where the line is.
      const before = place === "first" ? "" : "v".repeat(90);
      const said = `printf '${before}%s\\n' "$OPENROUTER_API_KEY"`;
      const agent = box.write("leaky", `#!/bin/sh\n. '${join(box.root, ".env")}'\n${said}\n`);
      chmodSync(agent, 0o755);
      box.write(join(box.root, "config.yaml"), CONFIG.replace(MOCK, agent));
      const examined = await examine(box);
      expect(examined.stdout).not.toContain(KEY.slice(0, 9));
      const shown = `${before}[redacted:OPENROUTER_API_KEY]`.slice(0, 100);
      expect(of(examined, "agents", "ok")).toContain(`agent mock is ${agent}, ${shown}`);
    },
  );

  it.each(["cas", "cas/_index", "runs", "locks", "logs"])(
    "names %s when it is another user's",
    async (name) => {
      const box = sandbox();
      await healthy(box);
      const folder = join(box.root, name);
      mkdirSync(folder, { recursive: true });
      // Root may write anywhere: where the tests run as root, the command runs as nobody, from a copy that nobody can read.
      const isRoot = process.getuid?.() === 0;
      const copy = join(box.root, "..", "copy");
      for (const part of ["bin", "dist/bin"])
        cpSync(resolve(import.meta.dirname, "../..", part), join(copy, part), { recursive: true });
      chmodSync(join(box.root, ".."), 0o755);
      chmodSync(box.root, 0o777);
      for (const path of readdirSync(box.root, { recursive: true, encoding: "utf8" }))
        chmodSync(join(box.root, path), 0o777);
      chmodSync(folder, 0o555);
      const nobody = isRoot ? { uid: 65534, gid: 65534 } : {};
      const env = { PATH: "/usr/bin:/bin", HOME: "/", UNCAGED_WORKFLOW_STORAGE_ROOT: box.root };
      const doctor = spawn(process.execPath, [join(copy, "dist/bin/uwf.js"), "doctor"], {
        cwd: "/",
        env,
        ...nobody,
      });
      const { findings }: DoctorOutput = JSON.parse((await ended(doctor)).stdout);
      const wrong = findings.filter(({ check, status }) => check === "writable" && status === "error");
      expect(wrong).toEqual([
        {
          check: "writable",
          status: "error",
          message: expect.stringContaining(folder),
          fix: expect.stringMatching(/chown -R .*/),
        },
      ]);
      chmodSync(folder, 0o755);
    },
  );

  it("reports dead and uncheckable lock holders, leftover files, and runs that lost their uwf", async () => {
    const box = sandbox();
    const thread = await healthy(box);
    const { uwf } = await startWorking(box, thread);
    const going = await examine(box);
    expect(of(going, "locks", "ok")).toEqual(["1 held by living processes"]);
    expect(of(going, "runs", "ok")).toEqual(["1 under way"]);
    await killNow(uwf);
    const record = readFileSync(lockFile(box, thread), "utf8");
    box.write(join(box.root, "locks", "index.lock.1-2-34567890abc.tmp"), record);
    const dead = await examine(box);
    expect(dead.code).toBe(0);
    expect(of(dead, "locks", "warning")).toEqual([
      expect.stringMatching(/index\.lock\.1-2-34567890abc\.tmp was left by pid .*; it is dead/),
      expect.stringMatching(
        new RegExp(`^the lock of thread ${thread} is held by pid ${uwf.pid} .*; it is dead`),
      ),
    ]);
    expect(of(dead, "runs", "warning")[0]).toMatch(
      /as maker, started .*, has lost its uwf; its agent is still working/,
    );
    moveElsewhere(lockFile(box, thread));
    const elsewhere = await examine(box);
    const lock = elsewhere.findings.find(({ message }) => message.includes("another-host"));
    expect(lock?.fix).toBe(`if that process is gone, run \`uwf thread unlock ${thread} --force\``);
  });

  it("reports an incomplete archive", async () => {
    const box = sandbox();
    const thread = await healthy(box);
    const { head } = await box.json(["thread", "show", thread]);
    const ending = { head, reason: "killed", completedAt: Date.now() };
    box.write(join(box.root, "runs", thread, "ending"), `${JSON.stringify(ending)}\n`);
    const examined = await examine(box);
    expect(of(examined, "runs", "warning")).toEqual([
      `thread ${thread} has ended (killed), but it is not archived completely`,
    ]);
    await box.json(["thread", "kill", thread]);
    expect(of(await examine(box), "runs", "warning")).toEqual([]);
  });

  it("reports a clock that is behind the newest record", async () => {
    const box = sandbox();
    await healthy(box);
    const later = Date.now() + 3_600_000;
    const line = { tag: "4KNMR2PX", content: "from the future", timestamp: later };
    const file = join(box.root, "logs", `${new Date(later).toISOString().slice(0, 10)}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(line)}\n`, { flag: "a" });
    expect(of(await examine(box), "clock", "warning")[0]).toContain("the newest line of the log is from");
  });

  it("ends with 74 where the root cannot be written, and looks at the rest all the same", async () => {
    const box = sandbox();
    await healthy(box);
    const preload = pathToFileURL(resolve(import.meta.dirname, "../support/full-disk.mjs"));
    const env = { UWF_RUNTIME: "node", NODE_OPTIONS: `--import ${preload}`, UWF_TEST_WRITES: "0" };
    const examined = await examine(box, env);
    expect({ code: examined.code, writable: of(examined, "writable", "error") }).toEqual({
      code: 74,
      writable: [expect.stringContaining("(ENOSPC)")],
    });
    expect(of(examined, "threads.yaml", "ok")).toEqual(["1 active thread"]);
    expect(everything(box.root).filter((name) => name.includes(".tmp"))).toEqual([]);
  });

  it("is found from any folder, by its help and by its format", async () => {
    const box = sandbox();
    expect((await box.uwf(["help", "doctor"])).stdout).toMatch(/^Examples:/);
    expect((await box.uwf(["doctor", "--format", "yaml"])).stdout).toMatch(/^ok: true\n/);
  });
});

function isLiving(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
