import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { shellWord } from "@uncaged/workflow-agent-kit";
import { gitBranchOf } from "@uncaged/workflow-util";
import {
  type Entry,
  type Env,
  entriesOf,
  type Found,
  type Git,
  problem,
  type Repository,
} from "./repository.js";

/** A thread's worktree, confirmed by git. */
export type Tree = {
  readonly path: string;
  /** What git keeps about it, inside the repository. */
  readonly gitDir: string;
  /** The folder in it that the calling folder is in its own worktree. */
  readonly cwd: string;
};

type Order = { readonly thread: string; readonly base: string | null };

/** Git reads what it keeps of every worktree, and fails where another git is about to write that. */
const HALF_MADE = /failed to read \S*\/worktrees\/[^/\s]+\/(?:commondir|gitdir|HEAD)\b/;

const TRIES = 100;
const PAUSE_MS = 20;

/** The thread's worktree: the calling folder's if that is it, the one that is there, or a new one. Other threads may make theirs meanwhile. */
export function openTree(git: Git, repository: Repository, order: Order): Found<Tree> {
  for (let left = TRIES; ; left -= 1) {
    const tree = treeNow(git, repository, order);
    if (tree.ok || left === 1 || !HALF_MADE.test(tree.problem.reason)) return tree;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

function treeNow(git: Git, repository: Repository, order: Order): Found<Tree> {
  const { top, trees } = repository;
  // Git compares real paths; it makes the folder itself.
  const path = join(existsSync(trees) ? realpathSync(trees) : trees, order.thread);
  const entries = entriesOf(git, top);
  if (!entries.ok) return entries;
  const branch = gitBranchOf(order.thread);
  // A worker of a remote has made one, and stepped us in it.
  if (entries.value.some((entry) => entry.branch === branch && entry.path === top))
    return confirm(git, repository, branch, top);
  const elsewhere = entries.value.find((entry) => entry.branch === branch && entry.path !== path);
  if (elsewhere !== undefined) {
    return problem(
      `its branch ${nameOf(branch)} is checked out in ${elsewhere.path}`,
      `switch that worktree to another branch, or remove it: \`git worktree remove ${shellWord(elsewhere.path)}\``,
    );
  }
  const entry = entries.value.find((each) => each.path === path) ?? null;
  if (entry !== null && entry.branch !== branch && !existsSync(path)) {
    return problem(
      `its worktree ${path} is gone, and was not on ${nameOf(branch)}`,
      `see \`git worktree list\`; \`git worktree prune\` forgets it`,
    );
  }
  const ready = makeRoom(git, repository, path, entry);
  if (!ready.ok) return ready;
  if (ready.value === "empty") {
    const added = addTree(git, repository, order, path);
    if (!added.ok) return added;
  }
  return confirm(git, repository, branch, path);
}

function nameOf(branch: string): string {
  return branch.replace("refs/heads/", "");
}

/**
 * Whether the place is empty or has a worktree. What git had only begun to make is removed: no agent has been in it. So is
 * git's record of a worktree whose folder was deleted; its commits are on the branch.
 */
function makeRoom(
  git: Git,
  { top }: Repository,
  path: string,
  entry: Entry | null,
): Found<"empty" | "taken"> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) return inTheWay(path, "is not a folder");
  const isEmpty = stat !== undefined && readdirSync(path).length === 0;
  if (entry === null) {
    return stat === undefined || isEmpty
      ? { ok: true, value: "empty" }
      : inTheWay(path, "is a folder that is no worktree of this repository");
  }
  if (stat !== undefined && !isEmpty && !entry.isUnfinished) return { ok: true, value: "taken" };
  if (isEmpty) rmdirSync(path);
  const removed = git.run(top, ["worktree", "remove", "--force", "--force", path]);
  return removed.ok
    ? { ok: true, value: "empty" }
    : problem(removed.reason, `repair it: \`git -C ${shellWord(top)} worktree repair ${shellWord(path)}\``);
}

function inTheWay(path: string, what: string) {
  return problem(
    `${path}, the place of its worktree, ${what}`,
    `move it away: \`mv ${shellWord(path)} ${shellWord(`${path}.old`)}\``,
  );
}

function addTree(git: Git, { top }: Repository, { thread, base }: Order, path: string): Found<string> {
  const branch = gitBranchOf(thread);
  const exists = git.run(top, ["show-ref", "--verify", "--quiet", branch]).ok;
  const from = exists
    ? { ok: true as const, value: [path, nameOf(branch)] }
    : newBranch(git, top, branch, path, base);
  if (!from.ok) return from;
  const added = git.run(top, ["worktree", "add", "--quiet", ...from.value]);
  return added.ok
    ? { ok: true, value: path }
    : problem(`git cannot make it: ${added.reason}`, "see `git worktree list`, then step again");
}

function newBranch(
  git: Git,
  top: string,
  branch: string,
  path: string,
  base: string | null,
): Found<readonly string[]> {
  if (base === null) {
    const unfit = unfitHead(git, top);
    if (unfit !== null) return problem(unfit.reason, unfit.hint);
  }
  const commit = git.run(top, [
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${base ?? "HEAD"}^{commit}`,
  ]);
  if (!commit.ok)
    return problem(`there is no commit ${base ?? "HEAD"} in ${top}`, "see `git log --all --oneline`");
  return { ok: true, value: ["--no-track", "-b", nameOf(branch), path, commit.out] };
}

/** Without --base the branch begins with what is seen in the calling folder, so that must be a commit of a branch. */
function unfitHead(git: Git, top: string): { readonly reason: string; readonly hint: string } | null {
  if (!git.run(top, ["symbolic-ref", "--quiet", "HEAD"]).ok) {
    return {
      reason: `the HEAD of ${top} is detached`,
      hint: "switch to a branch, or name the commit: `--base HEAD`",
    };
  }
  const changed = git.run(top, ["status", "--porcelain", "--untracked-files=no"]);
  if (!changed.ok || changed.out !== "") {
    return {
      reason: `${top} has changes that are not committed, and a worktree would not have them`,
      hint: "commit or stash them, or begin without them: `--base HEAD`",
    };
  }
  return null;
}

/** The worktree, if git says that it is one of this repository, and on its branch. */
function confirm(
  git: Git,
  { commonDir, prefix, top }: Repository,
  branch: string,
  path: string,
): Found<Tree> {
  const ask = (word: string) => {
    const asked = git.run(path, ["rev-parse", "--path-format=absolute", word]);
    return asked.ok ? asked.out : "";
  };
  const own = ask("--git-common-dir");
  if (ask("--show-toplevel") !== path || own === "" || realpathSync(own) !== commonDir) {
    return problem(
      `${path} is no worktree of the repository ${commonDir}`,
      `repair it, \`git -C ${shellWord(top)} worktree repair ${shellWord(path)}\`, or move it away`,
    );
  }
  const head = git.run(path, ["symbolic-ref", "--quiet", "HEAD"]);
  if (!head.ok || head.out !== branch) {
    const at = head.ok && head.out !== "" ? `on ${nameOf(head.out)}` : "on no branch";
    return problem(
      `its worktree ${path} is ${at}, not on ${nameOf(branch)}`,
      `finish what was begun there, then \`git -C ${shellWord(path)} switch ${nameOf(branch)}\``,
    );
  }
  const cwd = resolve(path, prefix);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return problem(
      `there is no folder ${prefix} in its worktree ${path}`,
      `commit that folder, or make it: \`mkdir -p ${shellWord(cwd)}\``,
    );
  }
  return { ok: true, value: { path, gitDir: ask("--absolute-git-dir"), cwd } };
}

const INCLUDE = ".worktreeinclude";

type Setup = { readonly setup: string | null; readonly env: Env; readonly say: (line: string) => void };

/**
 * Copies files into a new worktree and runs its setup, once. The mark that both are done is made last: whatever died in
 * between begins again, and no agent has been in the worktree before the mark. Gives how the setup failed, or `null`.
 */
export function prepareTree(git: Git, repository: Repository, tree: Tree, order: Setup): string | null {
  const mark = join(tree.gitDir, "uwf-prepared");
  if (existsSync(mark)) return null;
  if (tree.path !== repository.top) copyIncluded(git, repository, tree, order.say);
  const failed = order.setup === null ? null : runSetup(order.setup, tree, order.env);
  if (failed === null) fsyncMark(mark);
  return failed;
}

function fsyncMark(path: string): void {
  const fd = openSync(path, "w");
  fsyncSync(fd);
  closeSync(fd);
}

/** Files that git ignores and that the patterns match. */
function copyIncluded(git: Git, { top }: Repository, tree: Tree, say: Setup["say"]): void {
  const patterns = join(top, INCLUDE);
  if (!existsSync(patterns)) return;
  const list = (exclude: string): readonly string[] => {
    const listed = git.run(top, ["ls-files", "-z", "--others", "--ignored", exclude]);
    return listed.ok ? listed.out.split("\0").filter((name) => name !== "") : [];
  };
  const ignored = new Set(list("--exclude-standard"));
  for (const name of list(`--exclude-from=${patterns}`).filter((each) => ignored.has(each))) {
    const from = join(top, name);
    const to = join(tree.path, name);
    // A link could lead out of the worktree, and so could a folder on the way to the copy.
    if (!lstatSync(from).isFile()) {
      say(`${name} is not a regular file and was not copied`);
      continue;
    }
    mkdirSync(dirname(to), { recursive: true });
    if (realpathSync(dirname(to)) === dirname(to) && !isLink(to)) copyFileSync(from, to);
    else say(`${name} was not copied: the way to it is a link`);
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Its output is for people, and our stdout is the agent's. */
function runSetup(command: string, tree: Tree, env: Env): string | null {
  const { status, signal, error } = spawnSync("/bin/sh", ["-c", command], {
    cwd: tree.cwd,
    env: { ...env, PWD: tree.cwd },
    stdio: ["ignore", 2, 2],
  });
  if (error !== undefined) return error.message;
  if (status === 0) return null;
  return signal === null ? `exited with ${status}` : `was ended by ${signal}`;
}
