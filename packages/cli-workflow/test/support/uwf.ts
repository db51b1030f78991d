import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { shellWord } from "@uncaged/workflow-protocol";
import { expect } from "vitest";
import { afterEachFile, afterEachTest } from "../../../json-cas-fs/test/support/ends.js";
import {
  BUN_FOLDER,
  crossed,
  INSTALLED,
  RUNTIMES,
  type Runtime,
  WHOLE,
} from "../../../json-cas-fs/test/support/runtimes.js";
import { makeAskedAgents } from "./asked.js";
import { ended, type Ran } from "./ended.js";
import { served } from "./served.js";

export { ended, type Ran };

const packages = resolve(import.meta.dirname, "../../..");
const UWF = join(packages, "cli-workflow/bin/uwf");
/** The program itself, for tests of processes and of what a wall leaves of the disk. */
export const REAL_MOCK = join(packages, "workflow-agent-mock/bin/uwf-mock");
export const ZOO = resolve(import.meta.dirname, "../../dist/test-agents/zoo.mjs");
export const EXAMPLES = resolve(packages, "../examples");

type RunOptions = {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** An open file in the place of our pipe. */
  readonly stderr?: number;
  /** Words before the command: a program that becomes uwf. */
  readonly through?: readonly string[];
  /** A terminal of so many columns: of script(1) for a process; what is served is told of one. */
  readonly columns?: number;
};

/** The fields that the documents of the commands have; each has some of them. */
export type Doc = {
  readonly name: string;
  readonly hash: string;
  readonly hashes: readonly string[];
  readonly thread: string;
  readonly workflow: string;
  readonly head: string;
  readonly done: boolean;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly steps: readonly StepDoc[];
};

export type StepDoc = {
  readonly hash: string;
  readonly role: string;
  readonly prompt: string;
  readonly detail: string;
  readonly agent: string;
  readonly output: Readonly<Record<string, unknown>>;
};

/** A folder of its own for one test: storage root, working directory and home, all apart from the real ones. */
export type Sandbox = {
  readonly root: string;
  readonly cwd: string;
  readonly home: string;
  /** What its commands are started with; the runtime's folder is the first of PATH. */
  readonly environment: Readonly<
    Record<"PATH" | "HOME" | "UWF_RUNTIME" | "UNCAGED_WORKFLOW_STORAGE_ROOT" | "UWF_STRICT_EXITS", string>
  >;
  readonly uwf: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  readonly start: (args: readonly string[], options?: RunOptions) => ChildProcess;
  /** Runs, expects exit 0, and gives the JSON document. */
  readonly json: <T = Doc>(args: readonly string[], options?: RunOptions) => Promise<T>;
  /** `json` on the faster runtime, for what a test only begins with. */
  readonly prepare: <T = Doc>(args: readonly string[], options?: RunOptions) => Promise<T>;
  readonly write: (path: string, content: string | Uint8Array) => string;
  readonly read: (path: string) => string;
  /** Everything that can change in the storage root, for "nothing was written". */
  readonly snapshot: () => Readonly<Record<string, string>>;
};

const folders: string[] = [];

afterEachFile(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export { crossed, RUNTIMES, type Runtime, WHOLE };

/** The cases with the runtimes in turn: each runs once, and each runtime sees a fair part of them. */
export function inTurn<const T extends readonly unknown[]>(
  cases: readonly T[],
): readonly (readonly [runtime: Runtime, ...T])[] {
  return cases.map((each, at) => [INSTALLED[at % INSTALLED.length] ?? "node", ...each] as const);
}

/** Runs scripts that are agents and not ours: bun where there is one, since it starts five times as fast as Node.js. */
export const SCRIPT_RUNNER = BUN_FOLDER === undefined ? process.execPath : join(BUN_FOLDER, "bun");

const asked = makeAskedAgents({ zoo: [SCRIPT_RUNNER, ZOO], mock: [REAL_MOCK] });

/** uwf-mock, which the worker plays where it can. */
export const MOCK = asked?.mock ?? REAL_MOCK;

/** The program and the first words of the zoo agent, which the worker plays where it can. */
export const ASKED_ZOO: readonly [program: string, ...words: readonly string[]] =
  asked === null ? [SCRIPT_RUNNER, ZOO] : [asked.zoo];

/** Where neither the test nor UWF_TEST_RUNTIME chooses: bun. What `served` runs here is on Node.js. */
function usualRuntime(): Runtime {
  const forced = INSTALLED.find((runtime) => runtime === process.env.UWF_TEST_RUNTIME);
  return forced ?? INSTALLED.at(-1) ?? "node";
}

/** A number from 0 to 255 that a test always has. */
function firstByteOfName(): number {
  const { currentTestName, testPath } = expect.getState();
  const [first = 0] = createHash("sha256")
    .update(currentTestName ?? basename(testPath ?? ""))
    .digest();
  return first;
}

export function sandbox(chosen?: Runtime): Sandbox {
  const runtime = chosen ?? usualRuntime();
  const base = realpathSync(mkdtempSync(join(tmpdir(), "uwf-test-")));
  folders.push(base);
  const root = join(base, "storage");
  const cwd = join(base, "project");
  const home = join(base, "home");
  for (const folder of [cwd, home]) mkdirSync(folder);
  const environmentOn = (kind: Runtime) => ({
    PATH: [...(kind === "bun" ? [BUN_FOLDER] : []), dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
    HOME: home,
    UWF_RUNTIME: kind,
    UNCAGED_WORKFLOW_STORAGE_ROOT: root,
    // A fault that the command does not declare is a bug.
    UWF_STRICT_EXITS: "1",
  });
  const environment = environmentOn(runtime);
  /** Node.js, where the test's own PATH has no bun, and the test has not chosen. */
  const withoutBun = (path = BUN_FOLDER ?? ""): Readonly<Record<string, string>> =>
    chosen === undefined && !path.split(":").includes(BUN_FOLDER ?? "") ? { UWF_RUNTIME: "node" } : {};
  const start = (args: readonly string[], options: RunOptions = {}): ChildProcess => {
    const { through = [], columns } = options;
    const line = [...through, UWF, ...args];
    const [program = UWF, ...words] = columns === undefined ? line : inTerminal(line, columns);
    const child = spawn(program, words, {
      cwd: options.cwd ?? cwd,
      env: { ...environment, ...withoutBun(options.env?.PATH), ...options.env },
      stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", options.stderr ?? "pipe"],
    });
    if (options.stdin !== undefined) {
      child.stdin?.on("error", () => {});
      child.stdin?.end(options.stdin);
    }
    return child;
  };
  const uwf = async (args: readonly string[], options: RunOptions = {}): Promise<Ran> => {
    const env = { ...environment, ...withoutBun(options.env?.PATH), ...options.env };
    const { stdin, columns } = options;
    const world = { env, cwd: options.cwd ?? cwd, stdin, ...(columns === undefined ? {} : { columns }) };
    const isServed = chosen === undefined && isServedHere() && mayBeServed(args, options);
    return (isServed ? await served(args, world) : null) ?? (await ended(start(args, options)));
  };
  const json = async <T = Doc>(args: readonly string[], options: RunOptions = {}): Promise<T> =>
    documentOf<T>(args, await uwf(args, options));
  const faster = environmentOn(INSTALLED.at(-1) ?? "node");
  const prepare = async <T = Doc>(args: readonly string[], options: RunOptions = {}): Promise<T> => {
    const env = { ...faster, ...options.env };
    const world = { env, cwd: options.cwd ?? cwd, stdin: options.stdin };
    const ran = mayBeServed(args, options) ? await served(args, world) : null;
    return documentOf<T>(args, ran ?? (await ended(start(args, { ...options, env }))));
  };
  const write = (path: string, content: string | Uint8Array): string => {
    const file = resolve(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  return {
    root,
    cwd,
    home,
    environment,
    uwf,
    start,
    json,
    prepare,
    write,
    read,
    snapshot: () => snapshot(root),
  };
}

function documentOf<T>(args: readonly string[], ran: Ran): T {
  if (ran.code !== 0) throw new Error(`uwf ${args.join(" ")} exited with ${ran.code}: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

/** Variables that the start of a process reads, or whose command loads what only a process can. */
const OF_PROCESSES = ["NODE_OPTIONS", "UWF_RUNTIME", "BUN_OPTIONS", "NODE_ENV", "TZ", "UWF_REMOTE_URL"];

/** What `bin/uwf.ts` gives to another entry than `main`. */
const OTHER_ENTRIES = new Set(["--help", "-h", "help"]);

/** Whether a command line can be run in this process: nothing about it is a matter of the process. */
function mayBeServed(args: readonly string[], { through, stderr, env = {} }: RunOptions): boolean {
  const isProcess = through !== undefined || stderr !== undefined || OF_PROCESSES.some((name) => name in env);
  return !isProcess && args.length > 0 && !args.some((word) => OTHER_ENTRIES.has(word));
}

/** The words that run a command on a terminal of its own. */
function inTerminal(line: readonly string[], columns: number): readonly string[] {
  const words = `stty cols ${columns} rows 50; exec ${line.map(shellWord).join(" ")}`;
  return ["env", "SHELL=/bin/sh", "script", "-qec", words, "/dev/null"];
}

/** One test in so many, by their names, starts a process for each command, so that both runtimes see a part of all. */
export function isOfProcesses(many: number): boolean {
  return firstByteOfName() % many === 0;
}

function isServedHere(): boolean {
  const all = process.env.UWF_TEST_PROCESS;
  return all !== "1" && !isOfProcesses(all === "some" || WHOLE ? 8 : 32);
}

const MUTABLE = /^(threads\.yaml|history\.jsonl|registry\.yaml|config\.yaml|\.env|cas\/[^_].*\.bin)$/;

function snapshot(root: string): Readonly<Record<string, string>> {
  const files = listFiles(root, "").filter((path) => MUTABLE.test(path));
  return Object.fromEntries(files.sort().map((path) => [path, readFileSync(join(root, path), "latin1")]));
}

function listFiles(root: string, prefix: string): string[] {
  const entries = (() => {
    try {
      return readdirSync(join(root, prefix), { withFileTypes: true });
    } catch {
      return [];
    }
  })();
  return entries.flatMap((entry) => {
    const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    return entry.isDirectory() ? listFiles(root, path) : [path];
  });
}

/** Waits until the condition holds; fails after a generous deadline instead of hanging. */
export async function until(what: string, holds: () => boolean, deadlineMs = 90_000): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`still waiting for: ${what}`);
    await new Promise((resolveWait) => setTimeout(resolveWait, 20));
  }
}

const started: ChildProcess[] = [];

/** Remembers a process that a test leaves running on purpose; it is ended after the test. */
export function reap(child: ChildProcess): ChildProcess {
  started.push(child);
  return child;
}

afterEachTest(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** The file of a node, which a test damages or deletes. */
export function nodeFile({ root }: Pick<Sandbox, "root">, hash: string | undefined): string {
  return join(root, "cas", `${hash}.bin`);
}
