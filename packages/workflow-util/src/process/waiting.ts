import { childPipe } from "./pipe.js";
import { refusalOfWords } from "./refusal.js";
import { loadSpawn } from "./spawn.js";
import type { ChildPipe, ChildSpec, Spawned, Waiting, WaitingRun, WaitingSpec } from "./types.js";

// An agent takes as long to start as uwf takes to decide, and can do so meanwhile: its launcher is started with
// UWF_LAUNCH_WAIT set, brings its runtime up, loads its program and waits on its stdin (scripts/launcher/wait.js) for two
// lines: the word, with which it takes its run's files and records itself, and the sign, an empty line. Before the word
// it touches no file, and before the sign nothing of the program runs; when we die, or do not want it, it is gone.
//
// No shell is needed for it: what the launcher's shell would find out (which runtime, where we are, a clean PATH) our
// own launcher has found out for us. Where it has not, the usual way is taken.

/**
 * Starts one of our launchers, which the caller knows `spec.command` to be, so that it waits. `null` whenever something
 * is refused: the usual way says why. As a rule bun loads neither node:fs nor node:path for it.
 */
export async function startLauncher(spec: WaitingSpec): Promise<Waiting | null> {
  if (!isOurs(spec.env) || refusalOfWords(spec) !== null) return null;
  const pipe = childPipe();
  const child = await spawnWaiting(spec, pipe);
  return child === null ? null : waitingOn(spec, child, pipe);
}

const RUNTIME = process.versions.bun === undefined ? "node" : "bun";

/** bun before 1.4 keeps the descriptors 0 to 2 that it was started with: a launcher could not take the run's files. */
const CAN_WAIT = !/^(?:0|1\.[0-3])\./.test(process.versions.bun ?? "");

/** Whether the launcher's shell would come to the same: our runtime, and nothing to clean in PATH. */
function isOurs({ PATH = "/", UWF_RUNTIME = "" }: ChildSpec["env"]): boolean {
  const isClean = PATH.split(":").every((folder) => folder.startsWith("/"));
  return CAN_WAIT && isClean && (UWF_RUNTIME === "" || UWF_RUNTIME === RUNTIME);
}

const UNHEARD = { kind: "null" } as const;

async function spawnWaiting(
  { command, args, cwd, env }: WaitingSpec,
  { stdin }: ChildPipe,
): Promise<Spawned | null> {
  const spawn = await loadSpawn();
  const channels = { stdin: stdin.attach, stdout: UNHEARD, stderr: UNHEARD };
  try {
    return await spawn({ ...onOurRuntime(command, args), ...inFolder(cwd, env), ...channels });
  } catch {
    return null;
  }
}

/** As in the launchers (scripts/launcher/template.ts). */
const BUN_FLAGS = ["--env-file=/dev/null", "--config=/dev/null", "--no-install"];

type Words = { readonly command: string; readonly args: readonly string[] };

function onOurRuntime(launcher: string, args: readonly string[]): Words {
  const words = RUNTIME === "bun" ? [...BUN_FLAGS, launcher, "--", ...args] : [launcher, ...args];
  return { command: process.execPath, args: words };
}

/** bun is started in `/`, where nothing can redirect it; the launcher goes to the folder. PWD is as a shell sets it. */
function inFolder(cwd: string, env: ChildSpec["env"]): Pick<ChildSpec, "cwd" | "env"> {
  const folder = env.PWD !== undefined && isSameFolder(env.PWD, cwd) ? env.PWD : cwd;
  const own = { ...env, PWD: folder, UWF_LAUNCH_WAIT: "1" };
  return RUNTIME === "bun" ? { cwd: "/", env: { ...own, UWF_LAUNCH_FOLDER: folder } } : { cwd, env: own };
}

function isSameFolder(path: string, other: string): boolean {
  if (path === other) return true;
  const { statSync } = process.getBuiltinModule("node:fs");
  const [a, b] = [path, other].map((folder) => statSync(folder, { throwIfNoEntry: false }));
  return path.startsWith("/") && a?.ino === b?.ino && a?.dev === b?.dev;
}

function waitingOn(spec: WaitingSpec, child: Spawned, pipe: ChildPipe): Waiting {
  let gone = false;
  let told = false;
  const tell = (run: WaitingRun): void => {
    if (!told) pipe.write(`${JSON.stringify(wordFor(spec, run))}\n`);
    told = true;
  };
  const exited = child.exited.then(() => {
    gone = true;
  });
  return {
    spec,
    child,
    tell,
    begin: (run) => {
      tell(run);
      pipe.write("\n");
      pipe.end();
    },
    dismiss: async () => {
      pipe.end();
      // Nothing of its program runs, so nothing has to be ended in order. Its number is its own until it is collected.
      if (!gone) process.kill(child.pid, "SIGKILL");
      await exited;
    },
    isGone: () => gone,
  };
}

function wordFor(spec: WaitingSpec, { pidFile, stdout, stderr, args, env }: WaitingRun): object {
  const other = Object.entries(env).filter(([name, value]) => spec.env[name] !== value);
  return {
    record: pidFile,
    outputs: [stdout, stderr],
    args: args.slice(spec.args.length),
    env: Object.fromEntries(other),
  };
}
