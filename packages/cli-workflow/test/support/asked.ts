import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ENV } from "@uncaged/workflow-protocol";
import { afterEachFile } from "../../../json-cas-fs/test/support/ends.js";
import { runAgent } from "../../../workflow-agent-kit/test/helpers/run.js";
import { mockAgent } from "../../../workflow-agent-mock/test/played.js";
import { isReply, leaveLine, type Reply, replyTo } from "../agents/zoo/replies.js";

// Agents that a test's worker plays. What uwf starts is a process, a few lines of sh that ask the worker by a pipe what to
// print and how to end: 3 ms, where an agent on a runtime costs 40. The real agents are asked for what only a process does.
// A test that waits for uwf with `spawnSync` needs them too, for its worker answers nobody meanwhile.

/** How an agent's process ends: what it prints and its code, or that another program takes its place. */
type Ending = Reply | "other";

type Player = (start: Start) => Promise<Ending>;

/** What /proc says of an agent. */
type Start = {
  readonly pid: number;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
};

/** The files of the programs. */
export type AskedAgents = { readonly folder: string; readonly zoo: string; readonly mock: string };

/** How the real ones are started. */
type Real = { readonly zoo: readonly string[]; readonly mock: readonly string[] };

/** Makes programs that ask this worker; `null` where /proc tells it nothing, or where a run of tests wants processes. */
export function makeAskedAgents({ zoo, mock }: Real): AskedAgents | null {
  if (process.platform !== "linux" || process.env.UWF_TEST_PROCESS !== undefined) return null;
  const folder = mkdtempSync(join(tmpdir(), "uwf-asked-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    zoo: makeAgent(folder, "zoo", zoo, playZoo),
    mock: makeAgent(folder, "uwf-mock", mock, playMock),
  };
}

/** Agents that have asked and not been answered. One that a test leaves behind would wait for ever. */
const waiting = new Set<number>();
afterEachFile(() => {
  for (const pid of waiting) endProcess(pid);
});

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was ended.
  }
}

/** The agent opens its answer for both directions: neither side waits until the other one opens it, and it may be unlinked then. */
function makeAgent(folder: string, name: string, real: readonly string[], player: Player): string {
  const requests = join(folder, `${name}.requests`);
  execFileSync("mkfifo", [requests]);
  const fd = openSync(requests, constants.O_RDWR | constants.O_NONBLOCK);
  const socket = new Socket({ fd, readable: true, writable: false });
  socket.unref();
  const become = `exec 3<&-\nexec ${real.map((word) => `'${word}'`).join(" ")} "$@"\n`;
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const pid of lines) void answer(join(folder, `${name}.${pid}`), Number(pid), become, player);
  });
  const file = join(folder, name);
  const script = `#!/bin/sh
answer='${folder}/${name}'.$$
/usr/bin/mkfifo "$answer" || exit 70
exec 3<>"$answer"
echo $$ >'${requests}'
. /dev/fd/3
`;
  writeFileSync(file, script, { mode: 0o755 });
  return file;
}

async function answer(path: string, pid: number, become: string, player: Player): Promise<void> {
  waiting.add(pid);
  const ending = await endingOf(pid, player);
  waiting.delete(pid);
  const text = ending === "other" ? become : lastLines(ending);
  try {
    const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(fd, text.length < LARGEST ? text : inFile(`${path}.sh`, text));
    closeSync(fd);
  } catch (error) {
    // ENXIO: the agent was ended.
    if (!(error instanceof Error && "code" in error && error.code === "ENXIO")) throw error;
  } finally {
    rmSync(path, { force: true });
  }
}

/** Characters that a pipe always takes. */
const LARGEST = 10_000;

function inFile(file: string, text: string): string {
  writeFileSync(file, text);
  return `. '${file}'\n`;
}

function lastLines({ stdout, stderr, code }: Reply): string {
  return `${print(stderr, ">&2")}${print(stdout, "")}exit ${code}\n`;
}

function print(text: string, where: string): string {
  return text === "" ? "" : `printf %s '${text.replaceAll("'", "'\\''")}'${where}\n`;
}

/** An agent that throws says so, as a process does. */
async function endingOf(pid: number, player: Player): Promise<Ending> {
  try {
    return await player(startOf(pid));
  } catch (error) {
    return { stdout: "", stderr: `${error instanceof Error ? error.stack : String(error)}\n`, code: 1 };
  }
}

function startOf(pid: number): Start {
  const list = (name: string): readonly string[] =>
    readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0").slice(0, -1);
  // The first two words are those of the shell.
  const words = list("cmdline").slice(2);
  const pairs = list("environ").map((line) => [
    line.slice(0, line.indexOf("=")),
    line.slice(line.indexOf("=") + 1),
  ]);
  return { pid, words, env: Object.fromEntries(pairs), cwd: readlinkSync(`/proc/${pid}/cwd`) };
}

/** `zoo <behaviour> [args…] <thread-id> <role>` */
async function playZoo({ pid, words, env }: Start): Promise<Ending> {
  const [behaviour = "", ...rest] = words;
  const [thread = "", role = ""] = rest.slice(-2);
  const args = rest.slice(0, -2);
  if (!isReply(behaviour, args)) return "other";
  const isGone = (): boolean => !existsSync(`/proc/${pid}`);
  const asked = {
    root: env[ENV.storageRoot] ?? "",
    head: env[ENV.head] ?? "",
    thread,
    role,
    args,
    pid,
    isGone,
  };
  leaveLine(asked);
  return replyTo(behaviour, asked);
}

/** A scenario that waits is played by the process, for it may be ended meanwhile. */
async function playMock({ words, env, cwd }: Start): Promise<Ending> {
  if (words.some((word) => word.startsWith("--") && word !== "--scenario")) return "other";
  const named = words[words.indexOf("--scenario") + 1] ?? "";
  const scenario = words.includes("--scenario") ? named : (env[ENV.mockScenario] ?? "");
  if (mayWait(resolve(cwd, scenario))) return "other";
  const ending = { stdout: "", stderr: "", code: 0 };
  let exitCode = 0;
  const out = (text: string): void => {
    ending.stdout += text;
  };
  let clean = (text: string): string => text;
  const err = (text: string): void => {
    ending.stderr += clean(text);
  };
  const stage = {
    cwd,
    stdout: out,
    stderr: err,
    sleep: () => Promise.resolve(),
    exitWith: (code: number) => {
      exitCode = code;
    },
  };
  const variables: Record<string, string | undefined> = { ...env };
  const code = await runAgent(
    { name: "uwf-mock", ...mockAgent(stage) },
    {
      argv: words,
      env: variables,
      setEnv: (name, value) => {
        variables[name] = value;
      },
      conceal: (given) => {
        clean = given;
      },
      cwd,
      home: env.HOME ?? null,
      now: Date.now,
      out,
      err,
      onInterrupt: () => {},
      graceMs: 0,
    },
  );
  return { ...ending, code: exitCode === 0 ? code : exitCode };
}

function mayWait(file: string): boolean {
  try {
    return readFileSync(file, "utf8").includes("delayMs");
  } catch {
    return true;
  }
}
