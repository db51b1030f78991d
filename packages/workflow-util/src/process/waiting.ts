import { statSync } from "node:fs";
import { readPrefix } from "./read-prefix.js";
import { loadSpawn } from "./spawn.js";
import { openBoth, refusalOfFolder } from "./start.js";
import type { ChildSpec, Outputs, Spawned, Waiting } from "./types.js";

// The runtime of an agent takes as long to start as uwf takes to decide, and can do so meanwhile: the launcher is
// started with UWF_LAUNCH_WAIT set, brings its runtime up and waits on descriptor 3 (scripts/launcher/wait.js). Nothing
// of the agent runs before its word; when we die, or do not want it after all, it is gone.
//
// No shell is needed for it: what the launcher's shell would find out (which runtime, where we are, a clean PATH) our
// own launcher has found out for us.

/** How a launcher begins that waits when it is told to (scripts/launcher/template.ts). */
const LAUNCHER = "#!/bin/sh\n':' //; # Shell and JavaScript at once, and waits for a word when told to";

type WaitingSpec = Pick<ChildSpec, "command" | "args" | "cwd" | "env" | "stdout" | "stderr">;

/**
 * Starts one of our launchers so that it waits. `null` for any other command, and whenever something is refused: the
 * usual way says why. `command` is an absolute path that the system would execute.
 */
export async function startWaiting(spec: WaitingSpec): Promise<Waiting | null> {
  if (!isLauncher(spec.command) || refusalOfFolder(spec.cwd) !== null) return null;
  const outputs = openBoth(spec, () => {});
  if (!outputs.ok) return null;
  const child = await spawnWaiting(spec, outputs.value);
  if (child !== null) return waitingOn(child, outputs.value, spec.args.length);
  close(outputs.value);
  return null;
}

function isLauncher(command: string): boolean {
  return readPrefix(command, LAUNCHER.length)?.toString("latin1") === LAUNCHER;
}

async function spawnWaiting(
  { command, args, cwd, env }: WaitingSpec,
  { stdout, stderr }: Outputs,
): Promise<Spawned | null> {
  const spawn = await loadSpawn();
  const channels = { stdin: null, stdout: stdout.channel, stderr: stderr.channel, isTold: true };
  try {
    return await spawn({ ...onOurRuntime(command, args), ...inFolder(cwd, env), ...channels });
  } catch {
    return null;
  }
}

const IS_BUN = process.versions.bun !== undefined;

/** As in the launchers (scripts/launcher/template.ts). */
const BUN_FLAGS = ["--env-file=/dev/null", "--config=/dev/null", "--no-install"];

type Words = { readonly command: string; readonly args: readonly string[] };

function onOurRuntime(launcher: string, args: readonly string[]): Words {
  const words = IS_BUN ? [...BUN_FLAGS, launcher, "--", ...args] : [launcher, ...args];
  return { command: process.execPath, args: words };
}

/** bun is started in `/`, where nothing can redirect it; the launcher goes to the folder. PWD is as a shell sets it. */
function inFolder(cwd: string, env: ChildSpec["env"]): Pick<ChildSpec, "cwd" | "env"> {
  const folder = env.PWD !== undefined && isSameFolder(env.PWD, cwd) ? env.PWD : cwd;
  const own = IS_BUN ? { UWF_LAUNCH_WAIT: "1", UWF_LAUNCH_FOLDER: folder } : { UWF_LAUNCH_WAIT: "1" };
  return { cwd: IS_BUN ? "/" : cwd, env: { ...env, PWD: folder, ...own } };
}

function isSameFolder(path: string, other: string): boolean {
  const [a, b] = [path, other].map((folder) => statSync(folder, { throwIfNoEntry: false }));
  return path.startsWith("/") && a?.ino === b?.ino && a?.dev === b?.dev;
}

function waitingOn(child: Spawned, outputs: Outputs, given: number): Waiting {
  return {
    started: { child, outputs },
    begin: (record, args) => child.tell?.(`${JSON.stringify({ record, args: args.slice(given) })}\n`),
    dismiss: () => {
      child.tell?.("\n");
      close(outputs);
    },
  };
}

function close({ stdout, stderr }: Outputs): void {
  stdout.close();
  stderr.close();
}
