import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { type Host, main } from "@uncaged/cli-workflow";
import { ended, type Ran } from "../../cli-workflow/test/support/ended.js";
import { passForOriginal } from "./same-root.js";

export { ended, type Ran };

const repository = resolve(import.meta.dirname, "../../..");

export const UWF = join(repository, "packages/cli-workflow/bin/uwf");
export const MOCK = join(repository, "packages/workflow-agent-mock/bin/uwf-mock");
/** What an agent without a kit of its own calls. */
export const WRITER = join(repository, "packages/workflow-agent-kit/bin/uwf-agent-write");
const AGENT = join(import.meta.dirname, "world/agent.sh");
const WORKFLOW = join(import.meta.dirname, "world/turns.yaml");
const SCENARIO = join(import.meta.dirname, "world/turns.scenario.json");

export type Runtime = "node" | "bun";

const bunFolder = (process.env.PATH ?? "").split(delimiter).find((folder) => existsSync(join(folder, "bun")));

/** The folder of this run's Node.js; when bun runs the harness, Node.js is the one on PATH. */
const nodeFolder = process.versions.bun
  ? (process.env.PATH ?? "").split(delimiter).find((folder) => existsSync(join(folder, "node")))
  : dirname(process.execPath);

/** The installed runtimes, the fast one first. */
export const RUNTIMES: readonly [Runtime, ...Runtime[]] =
  bunFolder === undefined ? ["node"] : ["bun", "node"];

export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  /** Starts this program instead of uwf, in the same environment. */
  readonly program?: string;
  readonly runtime?: Runtime;
};

/** A storage root with a home, a working folder and a ledger of agent starts around it. */
export type World = {
  readonly folder: string;
  readonly root: string;
  readonly cwd: string;
  /** One line per start of the agent: thread, role, head, token of the run. */
  readonly ledger: string;
  /** `--agent` and its value: the ledger's agent. */
  readonly agent: readonly [string, string];
  /** The complete environment of a process of this world. */
  readonly environment: (runtime: Runtime) => Readonly<Record<string, string>>;
  readonly uwf: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  readonly start: (args: readonly string[], options?: RunOptions) => ChildProcess;
  /** Runs, requires exit 0, returns the JSON document. */
  readonly json: <T = Doc>(args: readonly string[], options?: RunOptions) => Promise<T>;
  readonly read: (path: string) => string;
};

/** All fields of the commands' documents; each has some of them. */
export type Doc = {
  readonly thread: string;
  readonly workflow: string | null;
  readonly head: string;
  readonly done: boolean;
  readonly hash: string;
  readonly steps: readonly { readonly hash: string }[];
};

/** Opens the world in a folder, creating what is missing. */
export function openWorld(folder: string, runtime: Runtime): World {
  const [root, cwd, home] = ["storage", "project", "home"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [cwd, home]) mkdirSync(each, { recursive: true });
  const ledger = join(folder, "ledger");
  const environment = (kind: Runtime) => ({
    PATH: [kind === "bun" ? bunFolder : null, nodeFolder, "/usr/bin", "/bin"].filter(Boolean).join(":"),
    HOME: home,
    UWF_RUNTIME: kind,
    UNCAGED_WORKFLOW_STORAGE_ROOT: root,
    UWF_MOCK_SCENARIO: SCENARIO,
    UWF_FAULTS_LEDGER: ledger,
    UWF_FAULTS_AGENT: MOCK,
    UWF_FAULTS_WRITER: WRITER,
    UWF_GRACE_SECONDS: "1",
  });
  const start: World["start"] = (args, options = {}) => {
    const child = spawn(options.program ?? UWF, args, {
      cwd: options.cwd ?? cwd,
      env: { ...environment(options.runtime ?? runtime), ...options.env },
      stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.stdin);
    return child;
  };
  const uwf: World["uwf"] = (args, options = {}) => ended(start(args, options));
  const json: World["json"] = async (args, options = {}) => {
    const ran = await uwf(args, options);
    if (ran.code !== 0)
      throw new Error(`uwf ${args.join(" ")} ended with ${ran.code ?? ran.signal}: ${ran.stderr}`);
    return JSON.parse(ran.stdout);
  };
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  return { folder, root, cwd, ledger, agent: ["--agent", `'${AGENT}'`], environment, uwf, start, json, read };
}

/** The same world in another folder, whose root passes for the original. */
export function copyWorld(world: World, folder: string, runtime: Runtime): World {
  cpSync(world.folder, folder, { recursive: true, preserveTimestamps: true });
  const copy = openWorld(folder, runtime);
  passForOriginal(copy.root);
  return copy;
}

/** Registers the workflow that the kinds step through: `maker`, `checker` (rejects once), `maker`, `checker`, end. */
export async function putTurns(world: World, options: RunOptions = {}): Promise<void> {
  const file = join(world.cwd, "turns.yaml");
  writeFileSync(file, readFileSync(WORKFLOW));
  await world.json(["workflow", "put", file], options);
}

export async function startThread(world: World, prompt = "Do it", options: RunOptions = {}): Promise<string> {
  return (await world.json(["thread", "start", "turns", "-p", prompt], options)).thread;
}

/** What stands in a file; "" where there is none that can be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The names in a folder; none where there is no folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A process that a world has started, with its command line. */
type Running = { readonly pid: number; readonly words: string };

/** Every process of a world, and no other, has its ledger in its environment; one that is dead has no environment. */
export function processesOf({ ledger }: Pick<World, "ledger">): readonly Running[] {
  return namesIn("/proc").flatMap((pid) => {
    const variables = /^\d+$/.test(pid) ? textOf(`/proc/${pid}/environ`).split("\0") : [];
    if (!variables.includes(`UWF_FAULTS_LEDGER=${ledger}`)) return [];
    return [{ pid: Number(pid), words: textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim() }];
  });
}

/** Steps of a complete turns thread. */
export const STEPS = 4;

/** uwf in this process, with its own host: many times faster than a process per command. */
export function inProcess(world: World, over: Partial<Host> = {}): (args: readonly string[]) => Promise<Ran> {
  let tokens = 0;
  const env = { ...world.environment(RUNTIMES[0]), UWF_GRACE_SECONDS: "1" };
  return async (args) => {
    const said = { stdout: "", stderr: "" };
    const sink = (stream: keyof typeof said) => ({
      write: (text: string) => {
        said[stream] += text;
      },
      isTerminal: () => false,
      columns: () => null,
      isClosed: () => false,
    });
    const host: Host = {
      env,
      cwd: world.cwd,
      binaries: dirname(UWF),
      now: Date.now,
      pid: process.pid,
      runtime: { name: "node", version: "0.0.0" },
      stdout: sink("stdout"),
      stderr: sink("stderr"),
      newToken: () => {
        tokens += 1;
        return `token-${tokens}`;
      },
      writeBytes: () => {},
      readStdin: () => new Uint8Array(),
      stdinIsTerminal: () => false,
      onSignal: () => () => {},
      kill: () => false,
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      ...over,
    };
    const code = await main(args, host);
    return { code, signal: null, ...said };
  };
}
