import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Env, Git } from "./git.js";
import type { Repository } from "./repository.js";
import type { Tree } from "./tree.js";

const INCLUDE = ".worktreeinclude";

type Order = { readonly setup: string | null; readonly env: Env; readonly say: (line: string) => void };

/**
 * Copies files into a new worktree and runs its setup, once. The mark that both are done is made last: whatever died in
 * between begins again, and no agent has been in the worktree before the mark. Gives how the setup failed, or `null`.
 */
export function prepareTree(git: Git, repository: Repository, tree: Tree, order: Order): string | null {
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
function copyIncluded(git: Git, { top }: Repository, tree: Tree, say: Order["say"]): void {
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
