import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { CLOCK } from "./clock.js";
import { FILES } from "./files.js";

/** What every line is recorded in: a home, a project and storage roots with threads of every state. */
export type World = {
  /** A copy of the build, whose paths are as long as those of every other record. */
  readonly build: string;
  readonly folder: string;
  /** Name → thread id or hash. Lines say `@ended` and `@ended.2` for them. */
  readonly names: Readonly<Record<string, string>>;
  /** What is alive while lines are recorded. */
  readonly pids: readonly number[];
  /** What was alive in it, and is named. */
  readonly ended: readonly number[];
  readonly close: () => Promise<void>;
};

/** When the first command is run, and by how much the clock advances for each further one. */
const START_MS = Date.UTC(2026, 0, 31, 8, 12, 3);
const MINUTE_MS = 60_000;

/** When lines are recorded: two days later. */
export const RECORDED_MS = START_MS + 2 * 24 * 60 * MINUTE_MS;

const REPOSITORY = resolve(import.meta.dirname, "../..");

/** What lines and the world's own commands are run with. */
export function environmentOf(base: string, folder: string): Readonly<Record<string, string>> {
  return {
    PATH: `${join(base, "tools")}:/usr/bin:/bin`,
    HOME: join(folder, "home"),
    USER: "kim",
    LANG: "C.UTF-8",
    TZ: "UTC",
    UWF_RUNTIME: "bun",
    UNCAGED_WORKFLOW_STORAGE_ROOT: join(folder, "root"),
  };
}

/** Builds it in an empty folder by the commands of the build in `repo`. Throws with what a command said that failed. */
export async function makeWorld(repo: string, base: string): Promise<World> {
  const build = join(base, "build");
  const folder = join(base, "w0");
  copyBuild(repo, build);
  const clock = writeTools(base, build);
  for (const name of ["home", "project"]) mkdirSync(join(folder, name), { recursive: true });
  const cwd = join(folder, "project");
  cpSync(join(REPOSITORY, "examples"), join(cwd, "examples"), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
  const env = environmentOf(base, folder);
  let now = START_MS;
  const names: Record<string, string> = {};
  const tick = (): void => {
    now += MINUTE_MS;
    writeFileSync(clock, String(now));
  };
  const uwf = (...argv: string[]): { readonly code: number | null; readonly out: string } => {
    tick();
    return look(...argv);
  };
  const look = (...argv: string[]): { readonly code: number | null; readonly out: string } => {
    const ran = spawnSync("uwf", argv, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    if (ran.status !== 0 && !EXPECTED.has(ran.status ?? -1))
      throw new Error(`uwf ${argv.join(" ")}: ${ran.status} ${ran.stderr}`);
    return { code: ran.status, out: ran.stdout };
  };
  const json = <T>(...argv: string[]): T => JSON.parse(uwf(...argv).out);
  const start = (name: string, workflow: string, ...more: string[]): string => {
    const { thread } = json<{ thread: string }>(
      "thread",
      "start",
      workflow,
      "-p",
      `Task of ${name}`,
      ...more,
    );
    names[name] = thread;
    return thread;
  };
  const steps = (thread: string, count: number): void => {
    for (let at = 0; at < count; at += 1) uwf("thread", "step", thread);
  };

  uwf("setup", "--agent", "uwf-mock");
  writeFileSync(join(folder, "root/config.yaml"), CONFIG);
  uwf("workflow", "put", "fails.yaml");
  // Children one after the other: two at a time, the order of what they write would be another each time.
  const each = readFileSync(join(cwd, "examples/review-each.yaml"), "utf8");
  writeFileSync(join(cwd, "examples/review-each.yaml"), each.replace("jobs: 2", "jobs: 1"));
  for (const name of ["solve-issue", "publish-note", "review-one", "review-each"])
    uwf("workflow", "put", `examples/${name}.yaml`);
  for (const name of ["asks", "loops", "fails"]) uwf("workflow", "put", `${name}.yaml`);
  writeFileSync(
    join(cwd, "changed.yaml"),
    readFileSync(join(cwd, "loops.yaml"), "utf8").replace("Made", "Tried"),
  );
  uwf("workflow", "put", "changed.yaml");

  start("fresh", "solve-issue");
  steps(start("active", "solve-issue"), 2);
  uwf("thread", "note", names.active ?? "", "keep the old option");
  steps(start("ended", "solve-issue"), 5);
  steps(start("killed", "solve-issue"), 1);
  uwf("thread", "kill", names.killed ?? "");
  uwf("thread", "step", start("failing", "solve-issue"), "--agent", "uwf-mock --scenario failing.yaml");
  steps(start("stuck", "loops"), 3);
  steps(start("failed", "fails"), 2);
  steps(start("held", "publish-note"), 2);
  steps(start("paused", "solve-issue"), 1);
  uwf("thread", "pause", names.paused ?? "");
  steps(start("limited", "solve-issue", "--max-steps", "1"), 2);
  steps(start("waiting", "asks"), 2);
  steps(start("parent", "review-each"), 4);
  for (const [at, step] of json<{ steps: { hash: string }[] }>(
    "thread",
    "steps",
    names.ended ?? "",
  ).steps.entries())
    names[`ended.${at}`] = step.hash;
  const forked = json<{ thread: string }>("thread", "fork", names["ended.2"] ?? "");
  names.forked = forked.thread;
  uwf("thread", "export", names.ended ?? "", "-o", "ended.cas");
  names.schema = json<{ hash: string }>("cas", "schema", "put", '{"title":"Person","type":"object"}').hash;
  names.node = json<{ hash: string }>("cas", "put", names.schema, '{"name":"Ada"}').hash;
  names.text = uwf("cas", "put-text", "The parser, then its tests.", "--format", "text").out.trim();
  names.file = uwf("cas", "file", "put", "replies.yaml", "--format", "text").out.trim();

  const children: ChildProcess[] = [];
  const agents: number[] = [];
  const runs = async (thread: string): Promise<{ readonly uwf: ChildProcess; readonly agent: number }> => {
    tick();
    const argv = ["thread", "step", thread, "--agent", "waiting-agent"];
    const child = spawn("uwf", argv, { cwd, env, stdio: "ignore" });
    children.push(child);
    const file = join(base, "tools", `${thread}.pid`);
    const isRunning = (): boolean => JSON.parse(look("thread", "show", thread).out).running !== null;
    for (let tries = 0; !(existsSync(file) && isRunning()); tries += 1) {
      if (tries > 400 || child.exitCode !== null) throw new Error(`the agent of ${thread} does not start`);
      await new Promise((done) => setTimeout(done, 100));
    }
    const agent = Number(readFileSync(file, "utf8"));
    agents.push(agent);
    return { uwf: child, agent };
  };
  const abandoned = await runs(start("abandoned", "solve-issue"));
  const gone = new Promise((done) => abandoned.uwf.on("exit", done));
  abandoned.uwf.kill("SIGKILL");
  await gone;
  endOf(abandoned.agent);
  const running = await runs(start("running", "solve-issue"));

  cpSync(join(folder, "root"), join(folder, "damaged"), { recursive: true, preserveTimestamps: true });
  const damagedRoot = join(folder, "damaged/root.json");
  writeFileSync(
    damagedRoot,
    readFileSync(damagedRoot, "utf8").replaceAll(join(folder, "root"), join(folder, "damaged")),
  );
  rmSync(join(folder, "damaged/cas", `${names["ended.2"]}.bin`));
  return {
    build,
    folder,
    names,
    pids: [running.uwf.pid ?? 0, running.agent],
    ended: [abandoned.uwf.pid ?? 0, abandoned.agent],
    close: async () => {
      for (const child of children) {
        const exits = new Promise((done) => child.on("exit", done));
        if (child.exitCode === null && child.signalCode === null && child.kill("SIGTERM")) await exits;
      }
      for (const pid of agents) endOf(pid);
    },
  };
}

/** Usage, a held thread, a limit, a failure: what the commands above end with on purpose. */
const EXPECTED: ReadonlySet<number> = new Set([5, 6, 8, 9, 10]);

/** A step remembers the command line of its agent: no word of it is another one in another record. */
const CONFIG = `agents:
  mock: { command: uwf-mock, args: [--scenario, replies.yaml] }
  other: { command: uwf-mock }
defaultAgent: mock
`;

function endOf(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function copyBuild(repo: string, build: string): void {
  for (const name of readdirSync(join(repo, "packages"))) {
    const from = join(repo, "packages", name);
    if (!existsSync(join(from, "bin"))) continue;
    for (const part of ["package.json", "bin", "dist"])
      cpSync(join(from, part), join(build, "packages", name, part), { recursive: true });
  }
  symlinkSync(join(repo, "node_modules"), join(build, "node_modules"));
}

/** The programs on the PATH of every line: the build's own, a bun with a fixed clock, an agent that never ends. */
function writeTools(base: string, build: string): string {
  const tools = join(base, "tools");
  mkdirSync(tools);
  for (const name of readdirSync(join(build, "packages")))
    for (const program of readdirSync(join(build, "packages", name, "bin")))
      symlinkSync(join(build, "packages", name, "bin", program), join(tools, basename(program)));
  const clock = join(tools, "clock");
  const bun = process.execPath;
  const version = execFileSync(bun, ["--version"], { encoding: "utf8" }).trim();
  const preload = join(import.meta.dirname, "clock.ts");
  const scripts = {
    bun: `[ "$1" = --version ] && echo ${version} && exit\n${CLOCK}='${clock}' exec '${bun}' --preload '${preload}' "$@"`,
    "waiting-agent": `echo $$ > '${tools}'/$1.pid\nexec sleep 3000`,
  };
  for (const [name, body] of Object.entries(scripts)) {
    writeFileSync(join(tools, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(tools, name), 0o755);
  }
  return clock;
}
