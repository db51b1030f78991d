import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { gitEnvironment, outdatedGit } from "@uncaged/workflow-util";

export type Env = Readonly<Record<string, string>>;

/** Where the system's answers come from. */
export type Git = {
  /** Runs git in a folder; `out` is its stdout without the last line end, `reason` the end of its stderr. */
  readonly run: (at: string, args: readonly string[], env?: Env) => Answer;
};

export type Answer =
  | { readonly ok: true; readonly out: string }
  | { readonly ok: false; readonly reason: string };

/** Bytes; a list of ignored files may be long. */
const MOST_OUTPUT = 256 * 1024 * 1024;

export function gitWith(env: Env): Git {
  const own = gitEnvironment(env);
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
      const message = stderr.trim().replace(/^(?:fatal|error): /, "");
      return { ok: false, reason: message || `git ${args[0]} ${signal ?? `exited with ${status}`}` };
    },
  };
}

/** Why this git cannot be used; `null` if it can. */
function unusableGit(git: Git, cwd: string): string | null {
  const asked = git.run(cwd, ["--version"]);
  return asked.ok ? outdatedGit(asked.out) : asked.reason;
}

/** The repository around a folder. */
export type Repository = {
  /** The top of the worktree that the folder is in. */
  readonly top: string;
  /** Common to all worktrees: the `.git` of the first one. */
  readonly commonDir: string;
  /** From the top to the folder, with a slash at its end; "" for the top itself. */
  readonly prefix: string;
  /** The folder in which the threads' worktrees are. */
  readonly trees: string;
};

export type Problem = { readonly reason: string; readonly hint: string };

export type Found<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

export function problem(reason: string, hint: string): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: { reason, hint } };
}

export function repositoryAt(git: Git, cwd: string): Found<Repository> {
  const unusable = unusableGit(git, cwd);
  if (unusable !== null) return problem(unusable, "install git, and check with `git --version`");
  const here = "change to a folder in a repository's worktree, and step there with `--cwd .`";
  const bare = git.run(cwd, ["rev-parse", "--is-bare-repository"]);
  if (!bare.ok) return problem(`${cwd} is in no repository (${bare.reason})`, here);
  if (bare.out === "true") return problem(`${cwd} is a bare repository, which has no files to work on`, here);
  const ask = (word: string) => git.run(cwd, ["rev-parse", "--path-format=absolute", word]);
  const [top, commonDir, prefix] = [ask("--show-toplevel"), ask("--git-common-dir"), ask("--show-prefix")];
  if (!top.ok) return problem(`${cwd} is in no worktree (${top.reason})`, here);
  if (!commonDir.ok) return problem(commonDir.reason, here);
  if (!prefix.ok) return problem(prefix.reason, here);
  const common = realpathSync(commonDir.out);
  return {
    ok: true,
    value: { top: realpathSync(top.out), commonDir: common, prefix: prefix.out, trees: treesBeside(common) },
  };
}

/**
 * Beside the repository. In its folder the tools of the repository would find every file once per thread; in `.git` many
 * tools see no files at all, and some agents must not write.
 */
function treesBeside(commonDir: string): string {
  return `${basename(commonDir) === ".git" ? dirname(commonDir) : commonDir}.worktrees`;
}

/** A worktree as git knows it. */
export type Entry = {
  readonly path: string;
  readonly branch: string | null;
  /** Git is making it, or died in the middle of that. */
  readonly isUnfinished: boolean;
  readonly isLocked: boolean;
};

export function entriesOf(git: Git, at: string): Found<readonly Entry[]> {
  const listed = git.run(at, ["worktree", "list", "--porcelain"]);
  if (!listed.ok) return problem(listed.reason, "see `git worktree list`");
  const value = listed.out.split("\n\n").flatMap((block) => {
    const lines = block.split("\n");
    const field = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
    const path = field("worktree");
    if (path === undefined) return [];
    const isLocked = lines.some((line) => line === "locked" || line.startsWith("locked "));
    const isUnfinished = field("locked") === "initializing";
    return [{ path, branch: field("branch") ?? null, isUnfinished, isLocked }];
  });
  return { ok: true, value };
}
