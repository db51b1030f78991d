import { existsSync, readFileSync, realpathSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { asThreadId } from "@uncaged/workflow-util";
import type { Git } from "./repository.js";
import { type Entry, entriesOf, type Found, type Repository } from "./repository.js";
import { IN_USE } from "./run.js";

export type Pruned = {
  readonly removed: readonly string[];
  readonly kept: readonly { readonly path: string; readonly reason: string }[];
};

/** Removes the threads' worktrees in which nothing would be lost. Branches stay: they keep the commits. */
export function prune(git: Git, repository: Repository, isAlive: (pid: number) => boolean): Found<Pruned> {
  const entries = entriesOf(git, repository.top);
  if (!entries.ok) return entries;
  const removed: string[] = [];
  const kept: { readonly path: string; readonly reason: string }[] = [];
  for (const entry of entries.value.filter((each) => isOurs(repository, each))) {
    const { path } = entry;
    const reason = needed(git, repository, entry, isAlive);
    if (reason !== null) {
      kept.push({ path, reason });
      continue;
    }
    // Without --force: git looks once more for changes.
    const gone = git.run(repository.top, ["worktree", "remove", path]);
    if (gone.ok) removed.push(path);
    else kept.push({ path, reason: gone.reason });
  }
  if (removed.length > 0) removeEmpty(dirname(removed[0] ?? ""));
  return { ok: true, value: { removed, kept } };
}

function isOurs({ trees }: Repository, { path }: Entry): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return asThreadId(name) === name && existsSync(trees) && dirname(path) === realpathSync(trees);
}

/** Why a worktree has to stay. */
function needed(
  git: Git,
  { top }: Repository,
  { path, isLocked }: Entry,
  isAlive: (pid: number) => boolean,
): string | null {
  if (isLocked) return "it is locked";
  if (!existsSync(path)) return "its folder is gone; `git worktree prune` forgets it";
  if (top === realpathSync(path)) return "it is the current folder";
  const gitDir = git.run(path, ["rev-parse", "--absolute-git-dir"]);
  if (!gitDir.ok) return gitDir.reason;
  if (isInUse(gitDir.out, isAlive)) return "an agent works in it";
  const changed = git.run(path, ["status", "--porcelain"]);
  if (!changed.ok) return changed.reason;
  if (changed.out !== "") return "it has changes that are not committed";
  return unkept(git, path);
}

function isInUse(gitDir: string, isAlive: (pid: number) => boolean): boolean {
  const file = join(gitDir, IN_USE);
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : Number.NaN;
  return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid);
}

/** Commits that only this worktree keeps: a detached HEAD, and what was amended or reset away. */
function unkept(git: Git, path: string): string | null {
  const own = [
    git.run(path, ["rev-parse", "--verify", "HEAD"]),
    git.run(path, ["reflog", "show", "--format=%H", "HEAD"]),
    git.run(path, [
      "for-each-ref",
      "--format=%(objectname)",
      "refs/bisect",
      "refs/worktree",
      "refs/rewritten",
    ]),
  ];
  const failed = own.find((each) => !each.ok);
  if (failed?.ok === false) return failed.reason;
  const commits = [...new Set(own.flatMap((each) => (each.ok ? each.out.split("\n") : [])))];
  const listed = commits.filter((commit) => commit !== "");
  const refs = ["--not", "--branches", "--tags", "--remotes"];
  const lost = git.run(path, ["rev-list", "--max-count=1", ...listed, ...refs]);
  if (!lost.ok) return lost.reason;
  return lost.out === "" ? null : `no branch keeps its commit ${lost.out.slice(0, 12)}`;
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It still has worktrees.
  }
}
