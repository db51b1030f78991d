import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { createFsStore, type FsStore, ioFault, makeDir, writtenBy } from "@uncaged/json-cas-fs";
import { ENV, err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";

/** An opened storage root: nothing has been touched yet, and reads never write. */
export type Storage = {
  readonly root: string;
  readonly cas: FsStore;
  readonly paths: Readonly<ReturnType<typeof pathsOf>>;
  /** Epoch ms. */
  readonly now: () => number;
};

/** Where the root's path comes from, handed in by the binary. */
type RootSource = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user's home; `null` or empty when the environment names none. */
  readonly home: string | null;
};

/** The storage root's absolute path, whatever is there; `null` when the environment names none, and no home folder. */
export function chosenRoot({ env, cwd, home }: RootSource): string | null {
  const named = env[ENV.storageRoot] || env[ENV.storageRootShort];
  if (named) return resolve(cwd, named);
  return home ? resolve(cwd, home, ".uncaged/workflow") : null;
}

/** Absolute paths below the storage root; the only place where its layout is written down. Reads nothing. */
function pathsOf(root: string) {
  const at = (name: string): string => join(root, name);
  return {
    cas: at("cas"),
    /** Thread id to head, one line per active thread. */
    threads: at("threads.yaml"),
    /** One line per ended thread. */
    history: at("history.jsonl"),
    /** One line per end that was removed. */
    removed: at("removed.jsonl"),
    /** One line per thread that another one has started. */
    children: at("children.jsonl"),
    keys: at("keys.jsonl"),
    /** Workflow name to hash. */
    registry: at("registry.yaml"),
    registryHistory: at("registry-history.jsonl"),
    /** `runs/<thread>/`: the run under way and `ending`. */
    runs: at("runs"),
    config: at("config.yaml"),
    dotEnv: at(".env"),
    logs: at("logs"),
    locks: at("locks"),
    cache: at("cache"),
    /** Which root this is. */
    rootFile: at("root.json"),
    /** Folders of threads that a remote has and that name none. */
    workspaces: at("workspaces"),
  };
}

/** Opens the root without touching it: it costs the same with ten threads or a hundred thousand. */
export function openStorage(root: string, { now }: { readonly now: () => number }): Storage {
  const paths = pathsOf(root);
  return { root, cas: createFsStore(paths.cas, { now }), paths, now };
}

/** The original uwf kept its names there. */
const ORIGINAL_REGISTRY = "workflows.yaml";

/** Why this root cannot be worked in, if the original uwf has written it; `null`: it is ours, or new. */
export function olderRoot({ root, paths }: Storage): Fault | null {
  const isOlder = existsSync(join(root, ORIGINAL_REGISTRY)) && !existsSync(paths.registry);
  return isOlder ? fault("OLDER_ROOT", { root }) : null;
}

/** Makes the root's folder for a command that writes; a place that cannot hold one is `STORAGE_ROOT_UNUSABLE`. */
export function prepareRoot(storage: Storage): Result<void, Fault> {
  const made = attempt(() => makeDir(storage.root));
  if (made.ok) return ok(undefined);
  if (made.error.code !== "IO_FAILED") return made;
  const { reason, errno } = made.error;
  return err(fault("STORAGE_ROOT_UNUSABLE", { path: storage.root, reason: `${reason} (${errno})` }));
}

/**
 * The storage root's absolute path: the long variable, else the short one, else `~/.uncaged/workflow`.
 * Set but empty counts as unset; a relative path starts at the working directory.
 * A root that does not exist is fine (it is empty); one that is not a folder is `STORAGE_ROOT_UNUSABLE`.
 */
export function resolveStorageRoot(source: RootSource): Result<string, Fault> {
  const root = chosenRoot(source);
  if (root === null) {
    return unusable("~/.uncaged/workflow", "the environment names no home folder (HOME is not set)");
  }
  if (root.includes("\0")) return unusable(JSON.stringify(root), "a path contains no NUL");
  const problem = problemOf(root);
  return problem === null ? ok(root) : unusable(root, problem);
}

function problemOf(root: string): string | null {
  try {
    const there = statSync(root, { throwIfNoEntry: false });
    return there === undefined || there.isDirectory() ? null : "it is not a folder";
  } catch (error) {
    return ioFault("look at", root, error).message;
  }
}

function unusable(path: string, reason: string): Result<never, Fault> {
  return err(fault("STORAGE_ROOT_UNUSABLE", { path, reason }));
}

type Env = Readonly<Record<string, string | undefined>>;

/** Members of one's group are trusted, as where every user has a group of their own. */
const OTHERS_MAY_WRITE = 0o002;

/**
 * Whether the content of the root may decide what is executed and signalled: `config.yaml` names commands, `runs/`
 * names processes. `ROOT_NOT_TRUSTED` if one of them, or the root itself, belongs to another user or is writable
 * by everybody, unless `UWF_TRUSTED_ROOTS` lists the root. Missing files do not count.
 */
export function checkTrust({ root, paths }: Storage, env: Env): Result<void, Fault> {
  if (isTrusted(root, env)) return ok(undefined);
  for (const path of [root, paths.config, paths.dotEnv, paths.runs]) {
    const reason = distrust(path, env);
    if (reason !== null) return err(fault("ROOT_NOT_TRUSTED", { root, path, ...reason }));
  }
  return ok(undefined);
}

/** Absolute paths, separated by colons; `*` is every root. */
function isTrusted(root: string, env: Env): boolean {
  const named = (env[ENV.trustedRoots] ?? "").split(":");
  return named.includes(root) || named.includes("*");
}

type Distrust = { readonly uid: number; readonly isOpen: boolean };

function distrust(path: string, env: Env): Distrust | null {
  const own = process.geteuid?.();
  const there = statSync(path, { throwIfNoEntry: false });
  if (own === undefined || there === undefined) return null;
  const { uid, mode } = there;
  const isOpen = (mode & OTHERS_MAY_WRITE) !== 0;
  return isOpen || !isOurs(uid, own, env) ? { uid, isOpen } : null;
}

/** Under sudo the user's own root is meant. */
function isOurs(uid: number, own: number, env: Env): boolean {
  return uid === own || (own === 0 && env.SUDO_UID === String(uid));
}

/** Which original program the store is of, `json-cas 0.5`; `null`: it is ours, whatever it has imported. */
export function storeWriter({ paths }: Storage): Result<string | null, Fault> {
  return attempt(() => (existsSync(join(paths.cas, "_format")) ? null : writtenBy(paths.cas)));
}
