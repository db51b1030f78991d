import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { RunDir, SandboxConfig, Storage } from "@uncaged/workflow-store";
import { type ChildOutcome, codeCacheFolder, definedOnly, resolveCommand } from "@uncaged/workflow-util";
import { askProgram } from "../agents.js";
import { CODING_AGENT_FOLDERS } from "../coding-agents.made.js";
import type { PlacedState } from "./run-once.js";
import type { AgentCommand } from "./types.js";

type SandboxContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly root: string;
  readonly paths: Storage["paths"];
  /** The agent's working folder. */
  readonly workFolder: string;
  /** The program as in config.yaml, and the file found for it. */
  readonly program: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly sandbox: SandboxConfig;
};

/**
 * bwrap's mount arguments, in order; later ones cover earlier ones:
 *
 *   everything       read-only
 *   /tmp, /run       empty: sockets there (docker's, the session bus) reach programs outside, read-only or not
 *   the program      read-only again, where it or PATH lies in one of them
 *   writable         its working folder, its own configuration, what config.yaml lists
 *   the storage root read-only, even inside a writable folder
 *
 * The error is a reason: a path that does not exist or must not be writable.
 */
function findMounts(place: SandboxContext): Result<readonly string[], string> {
  const writable = findWritable(place);
  if (!writable.ok) return writable;
  const kept = findKept(place);
  const open = [...new Set([...writable.value, ...bridges(kept, writable.value)])].sort();
  return ok([
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // Root without capabilities still owns the kernel's settings: /proc/sys/kernel/core_pattern names a program.
    ...bind(
      "--ro-bind",
      ["/proc/sys"].filter((folder) => existsSync(folder)),
    ),
    ...HIDDEN.filter((folder) => existsSync(folder)).flatMap((folder) => ["--tmpfs", folder]),
    ...bind("--ro-bind", findVisible(place)),
    ...bind("--bind", open),
    ...bind("--ro-bind", kept),
  ]);
}

/**
 * What the agent's kit writes: nodes, and the files of its run. run.json and the pid file stay read-only: they name the
 * run and the process to end. The pid file exists when bwrap starts, since bwrap's own process has written it.
 */
function runMounts({ cas }: Storage["paths"], { dir, runFile, pidFile }: RunDir): readonly string[] {
  const open = [cas, dir].map((path) => realpathSync(path));
  return [...bind("--bind", open), ...bind("--ro-bind", [runFile, pidFile])];
}

const HIDDEN = ["/tmp", "/run"];

function bind(how: "--bind" | "--ro-bind", paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => [how, path, path]);
}

/** Real paths, so that each has one name. */
function findWritable({
  env,
  workFolder,
  program,
  args,
  sandbox,
}: SandboxContext): Result<readonly string[], string> {
  const home = env.HOME ?? "";
  const listed = sandbox.writable.map((path) => path.replace(/^~(?=\/|$)/, home));
  const missing = listed.find((path) => !isAbsolute(path) || !existsSync(path));
  if (missing !== undefined) return err(`there is no ${missing}, which its \`writable\` lists`);
  const own = isAbsolute(home) ? ownFolders(program, args).map((name) => join(home, name)) : [];
  const paths = [workFolder, ...listed, ...own.filter((path) => existsSync(path))];
  const real = paths.map((path) => realpathSync(path));
  const whole = real.indexOf("/");
  return whole === -1 ? ok(real) : err(`${paths[whole]} would make the whole system writable`);
}

/** The folders of the program, and of the one that uwf-acp starts (`uwf-acp -- opencode acp`). */
function ownFolders(program: string, args: readonly string[]): readonly string[] {
  const started = args.includes("--") ? (args[args.indexOf("--") + 1] ?? "") : "";
  return [program, started].flatMap((word) => {
    const agent = `uwf-${basename(word).replace(/^uwf-/, "")}`;
    return Object.hasOwn(CODING_AGENT_FOLDERS, agent) ? (CODING_AGENT_FOLDERS[agent] ?? []) : [];
  });
}

/** Read-only: the storage root, the targets of links in it (some keep config.yaml elsewhere), and cached code. */
function findKept({ env, root, paths }: SandboxContext): readonly string[] {
  const all = [root, ...Object.values(paths), ...codeCache(env)].filter((path) => existsSync(path));
  const real = [...new Set(all.map((path) => realpathSync(path)))];
  const [first = root] = real;
  return real.filter((path) => path === first || !isBelow(path, first));
}

/** Created here, before an agent can create it. */
function codeCache(env: SandboxContext["env"]): readonly string[] {
  const folder = codeCacheFolder(env);
  if (folder === null) return [];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Then the agent cannot create it either, or it is not a folder, and our programs ignore it.
  }
  return [folder];
}

/**
 * The folders between a writable one and the storage root. A mount point cannot be renamed; otherwise the agent could
 * move `.uncaged` away and put its own in its place.
 */
function bridges(kept: readonly string[], writable: readonly string[]): readonly string[] {
  return kept.flatMap(foldersAbove).filter((folder) => writable.some((path) => isBelow(folder, path)));
}

function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** What must stay visible in the hidden folders: a program below /tmp with everything unpacked beside it. */
function findVisible({ env, command, args, sandbox }: SandboxContext): readonly string[] {
  const onPath = (env.PATH ?? "").split(delimiter);
  const names = sandbox.network ? ["/etc/resolv.conf"] : [];
  const words = [command, ...args, ...onPath, ...names].filter(
    (path) => isAbsolute(path) && existsSync(path),
  );
  const seen = [...words, ...words.map((path) => realpathSync(path))].flatMap((path) => {
    if (isBelow(path, "/tmp")) return [path.split("/", 3).join("/")];
    return isBelow(path, "/run") ? [path] : [];
  });
  return [...new Set(seen)].sort();
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? "/" : `${folder}/`) && path !== folder;
}

type Command = { readonly command: string; readonly args: readonly string[] };

/** The bwrap command that starts another one, with the files of its run writable. */
type Walls = (run: RunDir, inside: Command) => Command;

/** Starting bwrap takes about 10 ms. */
const TRIAL_MS = 15_000;

const OUTPUT_BYTES = 4096;

/**
 * Passed to bwrap for every agent. In its own pid namespace the agent cannot see or signal other processes, and the
 * kernel ends all of its processes with the first. No --die-with-parent: an agent outlives a uwf that is killed, and the
 * next step takes its result over.
 */
const ALWAYS = ["--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"];

/** Tries the sandbox with a command that does nothing, before the run begins; fault SANDBOX_UNAVAILABLE. */
export async function buildWalls(
  { host, storage, workFolder }: Pick<PlacedState, "host" | "storage" | "workFolder">,
  agent: AgentCommand,
  sandbox: SandboxConfig,
  command: string,
): Promise<Result<Walls, Fault>> {
  const refuse = (reason: string): Result<never, Fault> =>
    err(fault("SANDBOX_UNAVAILABLE", { command: agent.program, reason }));
  const bwrap = resolveCommand("bwrap", { path: host.env.PATH ?? "", cwd: "/" });
  if (!bwrap.ok) return refuse("bubblewrap (bwrap) is not on PATH");
  const mounts = findMounts({
    env: host.env,
    paths: storage.paths,
    root: storage.root,
    workFolder,
    command,
    args: agent.args,
    program: agent.program,
    sandbox,
  });
  if (!mounts.ok) return refuse(mounts.error);
  const network = sandbox.network ? [] : ["--unshare-net"];
  const words = [...mounts.value, ...ALWAYS, ...network, "--chdir", realpathSync(workFolder)];
  const trial = await askProgram(host, {
    file: bwrap.value,
    args: [...words, "--", "/bin/sh", "-c", ":"],
    env: definedOnly(host.env),
    timeoutMs: TRIAL_MS,
    limitBytes: OUTPUT_BYTES,
  });
  if (trial.kind !== "exited" || trial.code !== 0) return refuse(reasonOf(trial));
  return ok((run, inside) => ({
    command: bwrap.value,
    args: [...words, ...runMounts(storage.paths, run), "--", inside.command, ...inside.args],
  }));
}

function reasonOf(trial: ChildOutcome): string {
  const lastLine = (trial.stderr ?? "").trim().split("\n").at(-1) ?? "";
  return lastLine === "" ? `bwrap did not work (${trial.kind})` : lastLine;
}
