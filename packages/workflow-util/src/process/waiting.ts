import { statSync } from "node:fs";
import { childPipe } from "./pipe.js";
import { readPrefix } from "./read-prefix.js";
import { loadSpawn } from "./spawn.js";
import { openBoth, refusalOfFolder, refusalOfWords } from "./start.js";
import type { ChildPipe, ChildSpec, Outputs, Spawned, Waiting } from "./types.js";

// The runtime of an agent takes as long to start as uwf takes to decide, and can do so meanwhile: the launcher is
// started with UWF_LAUNCH_WAIT set, brings its runtime up and waits on its stdin (scripts/launcher/wait.js). Nothing of
// the agent runs before its word; when we die, or do not want it after all, it is gone.
//
// No shell is needed for it: what the launcher's shell would find out (which runtime, where we are, a clean PATH) our
// own launcher has found out for us. Where it has not, the usual way is taken.

/**
 * How a launcher begins that waits when it is told to (scripts/launcher/template.ts). The version of what is said
 * between the two: a uwf and an agent may be of different releases.
 */
const LAUNCHER = "#!/bin/sh\n':' //; # Shell and JavaScript at once, and waits for a word when told to";

type WaitingSpec = Pick<ChildSpec, "command" | "args" | "cwd" | "env" | "stdout" | "stderr">;

/** Whether the command, an absolute path, is one of our launchers, which can wait. */
export function canWait(command: string): boolean {
  return readPrefix(command, LAUNCHER.length)?.toString("latin1") === LAUNCHER;
}

/**
 * Starts one of our launchers so that it waits. `null` for any other command, and whenever something is refused: the
 * usual way says why. `command` is an absolute path that the system would execute.
 */
export async function startWaiting(spec: WaitingSpec): Promise<Waiting | null> {
  if (!canWait(spec.command) || !isOurs(spec.env)) return null;
  if (refusalOfWords(spec) !== null || refusalOfFolder(spec.cwd) !== null) return null;
  const outputs = openBoth(spec, () => {});
  if (!outputs.ok) return null;
  const pipe = childPipe();
  const child = await spawnWaiting(spec, outputs.value, pipe);
  if (child !== null) return waitingOn({ child, outputs: outputs.value }, pipe, spec.args.length);
  close(outputs.value);
  return null;
}

const RUNTIME = process.versions.bun === undefined ? "node" : "bun";

/** Whether the launcher's shell would come to the same: our runtime, and nothing to clean in PATH. */
function isOurs({ PATH = "/", UWF_RUNTIME = "" }: ChildSpec["env"]): boolean {
  return !/:(?!\/)/.test(`:${PATH}`) && (UWF_RUNTIME === "" || UWF_RUNTIME === RUNTIME);
}

async function spawnWaiting(
  { command, args, cwd, env }: WaitingSpec,
  { stdout, stderr }: Outputs,
  pipe: ChildPipe,
): Promise<Spawned | null> {
  const spawn = await loadSpawn();
  const channels = { stdin: pipe.stdin.attach, stdout: stdout.channel, stderr: stderr.channel };
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
  const [a, b] = [path, other].map((folder) => statSync(folder, { throwIfNoEntry: false }));
  return path.startsWith("/") && a?.ino === b?.ino && a?.dev === b?.dev;
}

function waitingOn(started: Waiting["started"], pipe: ChildPipe, given: number): Waiting {
  const { child, outputs } = started;
  let collected = false;
  const exited = child.exited.then(() => {
    collected = true;
  });
  return {
    started,
    begin: (record, args) => {
      pipe.write(`${JSON.stringify({ record, args: args.slice(given) })}\n`);
      pipe.end();
    },
    dismiss: async () => {
      pipe.end();
      close(outputs);
      // Nothing of its program runs, so nothing has to be ended in order. Its number is its own until it is collected.
      if (!collected) process.kill(child.pid, "SIGKILL");
      await exited;
    },
  };
}

function close({ stdout, stderr }: Outputs): void {
  stdout.close();
  stderr.close();
}
