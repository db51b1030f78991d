import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { logLines } from "../support/logs.js";
import { REAL_MOCK, RUNTIMES, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

/** Whether bwrap is here and the system lets us make namespaces. */
const canBuild =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "true"]).status === 0;

const SCENARIO = JSON.stringify({
  roles: {
    maker: [{ reply: "---\ntext: made\n---\nDone." }],
    checker: [{ reply: "---\napproved: true\n---\n" }],
  },
});

type Walls = Readonly<Record<string, unknown>>;

/** A thread whose agent is the script, behind walls; `$mock "$@"` in it does the step. */
async function behindWalls(box: Sandbox, script: string, walls: Walls | "bwrap" = "bwrap") {
  box.write("scenario.json", SCENARIO);
  const agent = box.write(
    "agent",
    `#!/bin/sh\nmock="$1 --scenario ${box.cwd}/scenario.json"\nshift\n${script}\n`,
  );
  chmodSync(agent, 0o755);
  mkdirSync(box.root, { recursive: true });
  writeFileSync(
    join(box.root, "config.yaml"),
    JSON.stringify({
      agents: { walled: { command: agent, args: [REAL_MOCK], sandbox: walls } },
      defaultAgent: "walled",
    }),
  );
  writeFileSync(join(box.root, ".env"), "SOME_API_KEY=abcdefghijklmnop\n", { mode: 0o600 });
  return startTurns(box);
}

/** Tries each line of shell and writes those that worked to the working folder, by number. */
function attempts(lines: readonly string[]): string {
  const tried = lines.map((line, index) => `( ${line} ) >/dev/null 2>&1 && echo ${index} >> worked`);
  return `root=$UNCAGED_WORKFLOW_STORAGE_ROOT\nrun=$(echo "$root"/runs/*/"$UWF_RUN")\n: > worked\n${tried.join("\n")}\nexec $mock "$@"`;
}

function worked(box: Sandbox, lines: readonly string[]): readonly (string | undefined)[] {
  const numbers = readFileSync(join(box.cwd, "worked"), "utf8").trim().split("\n");
  return numbers.filter((number) => number !== "").map((number) => lines[Number(number)]);
}

describe.skipIf(!canBuild)("an agent with `sandbox: bwrap`", () => {
  it.each(RUNTIMES)("does its step as without it (%s)", async (runtime) => {
    const box = sandbox(runtime);
    const thread = await behindWalls(box, 'exec $mock "$@"');
    const ran = await box.uwf(["thread", "run", thread]);
    expect(ran).toMatchObject({ code: 0 });
    const { steps } = await box.json(["thread", "steps", thread]);
    expect(steps.filter(({ role }) => role).map(({ role, agent }) => [role, agent])).toEqual([
      ["maker", `${join(box.cwd, "agent")} ${REAL_MOCK}`],
      ["checker", `${join(box.cwd, "agent")} ${REAL_MOCK}`],
    ]);
    expect((await box.uwf(["cas", "verify"])).code).toBe(0);
  });

  it("writes its working folder, /tmp of its own, and of the storage root the nodes and its run's files", async () => {
    const box = sandbox();
    const may = [
      "echo x > here",
      "mkdir sub && echo x > sub/there",
      `echo x > /tmp/uwf-${process.pid}`,
      "echo x > /dev/null",
      'echo x > "$run/note" && rm "$run/note"',
      'echo x > "$root/cas/note" && rm "$root/cas/note"',
    ];
    const thread = await behindWalls(box, attempts(may));
    expect((await box.uwf(["thread", "step", thread])).code).toBe(0);
    expect(worked(box, may)).toEqual(may);
    expect(existsSync(`/tmp/uwf-${process.pid}`)).toBe(false);
  });

  it("writes nothing else: not uwf's files, not the home folder, not the system", async () => {
    const box = sandbox();
    const root = '"$root"';
    const run = '"$run"';
    const never = [
      ...["config.yaml", ".env", "threads.yaml", "history.jsonl", "registry.yaml"].map(
        (name) => `echo x >> ${root}/${name}`,
      ),
      `rm ${root}/config.yaml`,
      `mv ${root} ${root}-2`,
      `mkdir ${root}/bin`,
      ...["locks", "logs", "cache"].map((name) => `mkdir -p ${root}/${name} && echo x > ${root}/${name}/x`),
      `mkdir "$(dirname ${run})/other"`,
      ...["run.json", "pid"].map((name) => `echo x > ${run}/${name}`),
      ...["run.json", "pid"].map((name) => `rm -f ${run}/${name}`),
      `mv ${run} "$(dirname ${run})/away"`,
      'echo x > "$HOME/x"',
      "echo x > ../x",
      "ln ../storage/config.yaml linked",
      "ln -s ../storage link && echo x >> link/config.yaml",
      "echo x > /etc/uwf-x",
      "echo x > /usr/bin/uwf-x",
      // Opened only: what is written there would be the machine's.
      ": >> /proc/sys/kernel/core_pattern",
      "mount -o remount,rw /",
      `umount ${root}`,
      "unshare -Ur mount -o remount,rw /",
      `unshare -Urm umount ${root}`,
      "chroot /proc/1/root true",
      `kill -0 ${process.pid}`,
    ];
    const thread = await behindWalls(box, attempts(never));
    const before = box.read("config.yaml");
    expect((await box.uwf(["thread", "step", thread])).code).toBe(0);
    expect(worked(box, never)).toEqual([]);
    expect(box.read("config.yaml")).toBe(before);
  });

  it("cannot lay a storage root of its own in the place of one inside its working folder", async () => {
    const box = sandbox();
    const root = join(box.cwd, "deep/er/storage");
    const env = { UNCAGED_WORKFLOW_STORAGE_ROOT: root };
    const inside: Sandbox = {
      ...box,
      root,
      uwf: (args) => box.uwf(args, { env }),
      json: (args) => box.json(args, { env }),
    };
    // A config.yaml that is kept elsewhere, and linked.
    const never = ["mv deep away", "mv deep/er deep/away", "rm -rf deep/er/storage/.env", "mv dotfiles away"];
    const all = [...never, "echo x >> dotfiles/uwf/config.yaml", "rm dotfiles/uwf/config.yaml"];
    const thread = await behindWalls(inside, attempts(all));
    mkdirSync(join(box.cwd, "dotfiles/uwf"), { recursive: true });
    const config = join(root, "config.yaml");
    spawnSync("mv", [config, join(box.cwd, "dotfiles/uwf")]);
    symlinkSync(join(box.cwd, "dotfiles/uwf/config.yaml"), config);
    const ran = await inside.uwf(["thread", "step", thread]);
    expect(ran).toMatchObject({ code: 0 });
    expect(worked(box, all)).toEqual([]);
  });

  it("cannot plant compiled code that our programs would run, even where its home folder is writable", async () => {
    const box = sandbox();
    const lines = [
      'mkdir -p "$HOME/.cache/uwf" && touch "$HOME/.cache/uwf/planted"',
      'mv "$HOME/.cache/uwf" "$HOME/moved"',
      'mv "$HOME/.cache" "$HOME/moved"',
      'touch "$HOME/anything"',
    ];
    const id = await behindWalls(box, attempts(lines), { kind: "bwrap", writable: ["~"] });
    await box.json(["thread", "step", id]);
    expect(worked(box, lines)).toEqual([lines.at(-1)]);
  });

  it("reaches no socket in /tmp, with a network", async () => {
    const box = sandbox();
    const folder = mkdtempSync("/tmp/uwf-socket-");
    const server = createServer((_, response) => void response.end());
    await new Promise<void>((listening) => server.listen(join(folder, "socket"), listening));
    const ask = (path: string) =>
      `node -e 'require("node:net").connect("${path}", () => process.exit()).on("error", () => process.exit(1))'`;
    // One that it may reach, to show that the question is a good one.
    const other = createServer((_, response) => void response.end());
    await new Promise<void>((listening) => other.listen(join(box.cwd, "socket"), listening));
    const lines = [ask(join(folder, "socket")), ask(join(box.cwd, "socket"))];
    const thread = await behindWalls(box, attempts(lines));
    const ran = await box.uwf(["thread", "step", thread]);
    for (const each of [server, other]) await new Promise((closed) => each.close(closed));
    rmSync(folder, { recursive: true });
    expect(ran.code).toBe(0);
    expect(worked(box, lines)).toEqual([lines[1]]);
  });

  it("writes its own configuration where it has one, and what config.yaml lists", async () => {
    const box = sandbox();
    for (const name of [".codex", ".claude", "listed"]) mkdirSync(join(box.home, name));
    const lines = ['echo x > "$HOME/.codex/x"', 'echo x > "$HOME/listed/x"', 'echo x > "$HOME/.claude/x"'];
    const thread = await behindWalls(box, attempts(lines), { kind: "bwrap", writable: ["~/listed"] });
    spawnSync("cp", [join(box.cwd, "agent"), join(box.cwd, "uwf-codex")]);
    const config = box.read("config.yaml").replace(join(box.cwd, "agent"), join(box.cwd, "uwf-codex"));
    writeFileSync(join(box.root, "config.yaml"), config);
    expect((await box.uwf(["thread", "step", thread])).code).toBe(0);
    expect(worked(box, lines)).toEqual(lines.slice(0, 2));
  });

  it.each([true, false])(
    "reaches a server on 127.0.0.1 only where it has a network (%s)",
    async (network) => {
      const box = sandbox();
      const seen: string[] = [];
      const server = createServer((request, response) => {
        seen.push(request.url ?? "");
        response.end();
      });
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      const { port } = server.address() as AddressInfo;
      const ask = `node -e 'fetch("http://127.0.0.1:${port}/asked").then(() => {}, () => process.exit(1))'`;
      const thread = await behindWalls(box, attempts([ask]), { kind: "bwrap", network });
      const ran = await box.uwf(["thread", "step", thread]);
      await new Promise((closed) => server.close(closed));
      expect(ran.code).toBe(0);
      expect(worked(box, [ask])).toEqual(network ? [ask] : []);
      expect(seen).toEqual(network ? ["/asked"] : []);
    },
  );

  /** One process that leaves group, session and environment behind, and the agent itself: both ignore SIGTERM. */
  const STUBBORN =
    "trap '' TERM\nenv -i setsid sh -c 'trap \"\" TERM; while :; do date > beat; sleep 0.05; done' &\n: > started\nwhile :; do sleep 0.05; done";

  it("is ended completely by a time limit, what left its group and environment included", async () => {
    const box = sandbox();
    const thread = await behindWalls(box, STUBBORN);
    const config = JSON.parse(box.read("config.yaml"));
    config.agents.walled.timeoutSeconds = 1;
    writeFileSync(join(box.root, "config.yaml"), JSON.stringify(config));
    const ran = await box.uwf(["thread", "step", thread], { env: { UWF_GRACE_SECONDS: "0.2" } });
    expect(ran.stderr).toContain("error[AGENT_TIMEOUT]");
    expect(ran.code).toBe(6);
    expect(processesOf(box)).toEqual([]);
  });

  it("is ended completely by `thread kill`", async () => {
    const box = sandbox();
    const thread = await behindWalls(box, STUBBORN);
    const step = box.start(["thread", "step", thread], { env: { UWF_GRACE_SECONDS: "0.2" } });
    const over = new Promise<number | null>((resolve) => step.on("exit", resolve));
    await until("beat", () => existsSync(join(box.cwd, "beat")));
    expect((await box.uwf(["thread", "kill", thread], { env: { UWF_GRACE_SECONDS: "0.2" } })).code).toBe(0);
    expect(await over).toBe(8);
    expect(processesOf(box)).toEqual([]);
  });

  it("goes on when uwf is killed, and the next step takes its result over", async () => {
    const box = sandbox();
    const script =
      'echo x >> runs\n: > started\nwhile ! test -e go; do sleep 0.05; done\n$mock "$@"\n: > done';
    const thread = await behindWalls(box, script);
    const step = box.start(["thread", "step", thread]);
    const over = new Promise((resolve) => step.on("exit", resolve));
    await until("started", () => existsSync(join(box.cwd, "started")));
    step.kill("SIGKILL");
    await over;
    const busy = await box.uwf(["thread", "step", thread]);
    expect([busy.code, busy.stderr]).toEqual([75, expect.stringContaining("error[THREAD_BUSY]")]);
    box.write("go", "");
    await until("done", () => existsSync(join(box.cwd, "done")));
    expect((await box.uwf(["thread", "step", thread, "--wait", "20"])).code).toBe(0);
    expect(readFileSync(join(box.cwd, "runs"), "utf8")).toBe("x\n");
  });

  it("that was killed itself has failed", async () => {
    const box = sandbox();
    const thread = await behindWalls(box, "kill -KILL $$");
    const ran = await box.uwf(["thread", "step", thread]);
    expect([ran.code, ran.stderr]).toEqual([6, expect.stringContaining("137")]);
  });

  it.each([
    ["/", "/ would make the whole system writable"],
    ["/no/such/folder", "there is no /no/such/folder"],
  ])("is not started where %s is to be writable", async (path, reason) => {
    const box = sandbox();
    const thread = await behindWalls(box, ": > started", { kind: "bwrap", writable: [path] });
    const ran = await box.uwf(["thread", "step", thread, "--retries", "2"]);
    expect(ran.stderr).toContain("error[SANDBOX_UNAVAILABLE]");
    expect(ran.stderr).toContain(reason);
    expect(ran.code).toBe(4);
    expect(existsSync(join(box.cwd, "started"))).toBe(false);
  });
});

describe("`sandbox: bwrap` where it cannot be had", () => {
  it.each([
    ["without bubblewrap", null, "bubblewrap (bwrap) is not on PATH"],
    [
      "without user namespaces",
      "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
      "No permissions to create new namespace",
    ],
  ])("ends the step with 4 before the agent starts (%s)", async (_, program, reason) => {
    const box = sandbox("node");
    const thread = await behindWalls(box, ": > started");
    const bin = join(box.home, "bin");
    mkdirSync(bin);
    for (const name of ["sh", "readlink", "dirname", "env"]) {
      const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
      if (found.startsWith("/")) symlinkSync(found, join(bin, name));
    }
    symlinkSync(process.execPath, join(bin, "node"));
    if (program !== null) {
      writeFileSync(join(bin, "bwrap"), program, { mode: 0o755 });
    }
    const ran = await box.uwf(["thread", "step", thread, "--retries", "2"], { env: { PATH: bin } });
    expect(ran.stderr).toContain("error[SANDBOX_UNAVAILABLE]");
    expect(ran.stderr).toContain(reason);
    expect(ran.stderr).toContain("apt-get install bubblewrap");
    expect(ran.code).toBe(4);
    expect(existsSync(join(box.cwd, "started"))).toBe(false);
    expect(logLines(box).filter((line) => "outcome" in line)).toEqual([]);
  });
});

/** What still runs in the test's folder. */
function processesOf(box: Sandbox): readonly string[] {
  const script = `for p in /proc/[0-9]*; do [ "$(readlink $p/cwd)" = '${box.cwd}' ] && cat $p/cmdline; done; true`;
  return spawnSync("sh", ["-c", script], { cwd: "/", encoding: "utf8" })
    .stdout.split("\0")
    .filter((word) => word !== "");
}
