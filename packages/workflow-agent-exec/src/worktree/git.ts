import { spawnSync } from "node:child_process";

export type Env = Readonly<Record<string, string>>;

/** Where the system's answers come from. */
export type Git = {
  /** Runs git in a folder; `out` is its stdout without the last line end, `reason` the end of its stderr. */
  readonly run: (at: string, args: readonly string[], env?: Env) => Answer;
};

export type Answer =
  | { readonly ok: true; readonly out: string }
  | { readonly ok: false; readonly reason: string };

/** Variables that name a repository or an index: git sets them for hooks, and they would lead out of a worktree. */
const OF_A_PLACE: ReadonlySet<string> = new Set([
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_DIR",
  "GIT_INDEX_FILE",
  "GIT_NAMESPACE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_WORK_TREE",
]);

/** The environment in which git looks only at the current folder. */
export function withoutPlaces(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_A_PLACE.has(name)));
}

/** Bytes; a list of ignored files may be long. */
const MOST_OUTPUT = 256 * 1024 * 1024;

export function gitWith(env: Env): Git {
  const own = { ...withoutPlaces(env), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
  return {
    run: (at, args, more = {}) => {
      const { status, signal, stdout, stderr, error } = spawnSync("git", args, {
        cwd: at,
        env: { ...own, ...more },
        encoding: "utf8",
        maxBuffer: MOST_OUTPUT,
        stdio: ["ignore", "pipe", "pipe"],
      });
      if (error !== undefined) {
        const isAbsent = "code" in error && error.code === "ENOENT";
        return { ok: false, reason: isAbsent ? "git is not on PATH" : error.message };
      }
      if (status === 0) return { ok: true, out: stdout.replace(/\n$/, "") };
      const said = stderr.trim().replace(/^(?:fatal|error): /, "");
      return { ok: false, reason: said || `git ${args[0]} ${signal ?? `exited with ${status}`}` };
    },
  };
}

/** For `rev-parse --path-format` and what `worktree list` says of locks: March 2021. */
const OLDEST = [2, 31] as const;

/** Why this git cannot be used; `null` if it can. */
export function unusableGit(git: Git, cwd: string): string | null {
  const asked = git.run(cwd, ["--version"]);
  if (!asked.ok) return asked.reason;
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(asked.out) ?? [];
  const isOld = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
  return isOld ? `${asked.out} is too old, git ${OLDEST.join(".")} or later is needed` : null;
}
