import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { err, type Fault, fault, ok, type Result, type SandboxConfig } from "@uncaged/workflow-protocol";
import type { RunDir, StoragePaths } from "@uncaged/workflow-store";
import { type ChildOutcome, codeCacheFolder, definedOnly, resolveCommand } from "@uncaged/workflow-util";
import { askProgram } from "../agents.js";
import type { PlacedState } from "./run-once.js";
import type { AgentCommand } from "./types.js";

type Place = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly root: string;
  readonly paths: StoragePaths;
  /** Where the agent works. */
  readonly folder: string;
  /** The program as it stands in config.yaml, and the file that it is. */
  readonly program: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly sandbox: SandboxConfig;
};

/** Where known agents keep their logins, sessions and settings, below the home folder. */
const OWN_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  claude: [".claude", ".claude.json", ".cache/claude"],
  codex: [".codex"],
  cursor: [".cursor", ".config/cursor"],
  gemini: [".gemini"],
  hermes: [".hermes"],
  opencode: [".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"],
  pi: [".pi"],
};

/**
 * bwrap's words for the files, in the order in which they are laid over each other:
 *
 *   everything       read-only
 *   /tmp, /run       empty: sockets there (docker's, the session bus) reach programs outside, read-only or not
 *   what it is       read-only again, where its program or PATH lies in one of them
 *   what it may      writable: its working folder, its own configuration, what config.yaml lists
 *   the storage root read-only, also inside of one of those
 *
 * The reason instead, where a path cannot be had.
 */
function mountsOf(place: Place): Result<readonly string[], string> {
  const writable = writableOf(place);
  if (!writable.ok) return writable;
  const kept = keptOf(place);
  const open = [...new Set([...writable.value, ...bridges(kept, writable.value)])].sort();
  return ok([
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // Root without capabilities still owns what sets up the kernel: /proc/sys/kernel/core_pattern names a program.
    ...bind(
      "--ro-bind",
      ["/proc/sys"].filter((folder) => existsSync(folder)),
    ),
    ...HIDDEN.filter((folder) => existsSync(folder)).flatMap((folder) => ["--tmpfs", folder]),
    ...bind("--ro-bind", visibleOf(place)),
    ...bind("--bind", open),
    ...bind("--ro-bind", kept),
  ]);
}

/**
 * What the agent's kit writes: nodes, and the files of its run. Not what says which run it is and which process to end:
 * the pid file is there when bwrap starts, since its process has written it.
 */
function runMounts({ cas }: StoragePaths, { dir, runFile, pidFile }: RunDir): readonly string[] {
  const open = [cas, dir].map((path) => realpathSync(path));
  return [...bind("--bind", open), ...bind("--ro-bind", [runFile, pidFile])];
}

const HIDDEN = ["/tmp", "/run"];

function bind(how: "--bind" | "--ro-bind", paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => [how, path, path]);
}

/** Without links, so that a path has one name; sorted, a folder comes before what is in it. */
function writableOf({ env, folder, program, args, sandbox }: Place): Result<readonly string[], string> {
  const home = env.HOME ?? "";
  const listed = sandbox.writable.map((path) => path.replace(/^~(?=\/|$)/, home));
  const missing = listed.find((path) => !isAbsolute(path) || !existsSync(path));
  if (missing !== undefined) return err(`there is no ${missing}, which its \`writable\` lists`);
  const own = isAbsolute(home) ? ownFolders(program, args).map((name) => join(home, name)) : [];
  const paths = [folder, ...listed, ...own.filter((path) => existsSync(path))];
  const real = paths.map((path) => realpathSync(path));
  const whole = real.indexOf("/");
  return whole === -1 ? ok(real) : err(`${paths[whole]} would make the whole system writable`);
}

/** Those of the program, and of the one that uwf-acp starts (`uwf-acp -- opencode acp`). */
function ownFolders(program: string, args: readonly string[]): readonly string[] {
  const started = args.includes("--") ? (args[args.indexOf("--") + 1] ?? "") : "";
  return [program, started].flatMap((word) => {
    const name = basename(word).replace(/^uwf-/, "");
    return Object.hasOwn(OWN_FOLDERS, name) ? (OWN_FOLDERS[name] ?? []) : [];
  });
}

/** The storage root, what links in it lead to (people keep a config.yaml elsewhere), and code that our programs run. */
function keptOf({ env, root, paths }: Place): readonly string[] {
  const all = [root, ...Object.values(paths), ...codeCache(env)].filter((path) => existsSync(path));
  const real = [...new Set(all.map((path) => realpathSync(path)))];
  const [first = root] = real;
  return real.filter((path) => path === first || !isBelow(path, first));
}

/** Made before an agent could make it. */
function codeCache(env: Place["env"]): readonly string[] {
  const folder = codeCacheFolder(env);
  if (folder === null) return [];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Nor can the agent, or what stands there is no folder, which our programs do not use.
  }
  return [folder];
}

/**
 * The folders between a writable one and what is kept. Bound onto themselves they cannot be renamed: else the agent
 * would move `.uncaged` away and lay one of its own in its place.
 */
function bridges(kept: readonly string[], writable: readonly string[]): readonly string[] {
  return kept.flatMap(foldersAbove).filter((folder) => writable.some((path) => isBelow(folder, path)));
}

function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** What has to be seen of the hidden folders: a program below /tmp with all that was unpacked beside it. */
function visibleOf({ env, command, args, sandbox }: Place): readonly string[] {
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

/** The command that starts another one behind the walls, with what its run may write. */
type Walls = (run: RunDir, inside: Command) => Command;

/** A start of bwrap takes some 10 ms. */
const TRIAL_MS = 15_000;

const OUTPUT_BYTES = 4096;

/**
 * What bwrap is told whatever the agent. Its process ids are its own, so it sees and signals nobody else's processes,
 * and the kernel ends what is left of them when it ends. No --die-with-parent: an agent outlives a uwf that is killed,
 * and the next step takes its result over.
 */
const ALWAYS = ["--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"];

/** SANDBOX_UNAVAILABLE when they cannot be had here: tried with a command that does nothing, before the run begins. */
export async function buildWalls(
  { host, storage, folder }: PlacedState,
  agent: AgentCommand,
  sandbox: SandboxConfig,
  command: string,
): Promise<Result<Walls, Fault>> {
  const refuse = (reason: string): Result<never, Fault> =>
    err(fault("SANDBOX_UNAVAILABLE", { command: agent.program, reason }));
  const bwrap = resolveCommand("bwrap", { path: host.env.PATH ?? "", cwd: "/" });
  if (!bwrap.ok) return refuse("bubblewrap (bwrap) is not on PATH");
  const mounts = mountsOf({
    env: host.env,
    paths: storage.paths,
    root: storage.root,
    folder,
    command,
    args: agent.args,
    program: agent.program,
    sandbox,
  });
  if (!mounts.ok) return refuse(mounts.error);
  const network = sandbox.network ? [] : ["--unshare-net"];
  const words = [...mounts.value, ...ALWAYS, ...network, "--chdir", realpathSync(folder)];
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
  const said = (trial.stderr ?? "").trim().split("\n").at(-1) ?? "";
  return said === "" ? `bwrap did not work (${trial.kind})` : said;
}
