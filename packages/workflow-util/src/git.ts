// What all git processes that we start have in common.

type Env = Readonly<Record<string, string | undefined>>;

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
export function withoutGitPlaces<E extends Env>(env: E): E {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_A_PLACE.has(name))) as E;
}

/** The same for a git whose output a program reads: it speaks English and never asks for a password. */
export function gitEnvironment<E extends Env>(env: E): E {
  return { ...withoutGitPlaces(env), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
}

/** For `rev-parse --path-format` and what `worktree list` says of locks: March 2021. */
const OLDEST = [2, 31] as const;

/** Why the git that gives this for `--version` cannot be used; `null` if it can. */
export function outdatedGit(version: string): string | null {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version) ?? [];
  const isOld = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
  return isOld ? `${version} is too old, git ${OLDEST.join(".")} or later is needed` : null;
}

/** The branch of a thread's worktree. */
export function gitBranchOf(thread: string): string {
  return `refs/heads/uwf/${thread}`;
}

/** The author and committer where git has no user configured. */
export const GIT_NOBODY = {
  GIT_AUTHOR_NAME: "uwf",
  GIT_AUTHOR_EMAIL: "uwf@localhost",
  GIT_COMMITTER_NAME: "uwf",
  GIT_COMMITTER_EMAIL: "uwf@localhost",
} as const;

/** `git commit` without hooks, with nothing that asks a person, and no process that goes on in the background. */
export const GIT_COMMIT: readonly string[] = [
  ...["-c", "commit.gpgsign=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"],
  ...["commit", "--quiet", "--no-verify"],
];
