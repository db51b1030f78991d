import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { repositoryFolder, type Storage } from "@uncaged/workflow-store";
import { GIT_COMMIT, GIT_NOBODY, gitBranchOf, outdatedGit } from "@uncaged/workflow-util";
import type { Leased } from "../types.js";
import { roleAt } from "./exchange.js";
import { type Git, type GitAnswer, parseGitAddress } from "./git.js";

// workspaces/repositories/<url>    a bare repository, fetched before each step
// workspaces/<thread>              its worktree on the branch uwf/<thread>, where the agents work
//
// What goes from one worker to the next goes through the branch uwf/<thread> of the repository itself: a step's changes are
// committed and pushed there before the step is pushed to the remote, and the remote keeps the commit. So a step that others
// can see has its files where they can see them.

export type Workspaces = {
  /** Brings a leased thread's folder to what its last step has left; `fresh`: what is here no longer counts. */
  readonly open: (leased: Leased, fresh: boolean) => Promise<Result<void, Fault>>;
  /** Commits what the step has changed, and pushes it unless `isLate`. Gives the commit; `null`: the thread has no workspace. */
  readonly retainWorktree: (
    leased: Leased,
    head: string,
    isLate: boolean,
  ) => Promise<Result<string | null, Fault>>;
  /** Removes the workspace of a thread that has ended; what is not committed stays. */
  readonly remove: (leased: Leased) => Promise<void>;
  /** All that have a folder here. */
  readonly list: () => readonly { readonly thread: string; readonly remove: () => Promise<void> }[];
};

export function createWorkspaces(storage: Storage, plainGit: Git): Workspaces {
  const git = pastLocks(storage, plainGit);
  // Two git processes that make worktrees of one repository at once can fail each other.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    open: async (leased, fresh) => {
      const place = findWorktree(storage, git, leased);
      return place === null ? ok(undefined) : inTurn(() => open(place, fresh));
    },
    retainWorktree: async (leased, head, isLate) => {
      const place = findWorktree(storage, git, leased);
      // A person may have answered where no agent has worked.
      if (place === null || !existsSync(markOf(place))) return ok(null);
      return keep(storage, place, { head, isLate });
    },
    remove: async (leased) => {
      const place = findWorktree(storage, git, leased);
      if (place !== null) await inTurn(() => remove(place));
    },
    list: () =>
      treesIn(storage).map((tree) => ({
        thread: tree.thread,
        remove: () => inTurn(() => remove({ ...tree, git })),
      })),
  };
}

/**
 * After this time, in ms, a git lock counts as left behind: only this worker works here, one command after the other.
 */
const LEFT_MS = 60_000;

/** git that removes the locks that a killed git has left in our own repositories, and tries again. */
function pastLocks({ paths, now }: Storage, git: Git): Git {
  const ours = `${join(paths.workspaces, "repositories")}/`;
  const isLeft = (lock: string): boolean => {
    const stat = lock.startsWith(ours) ? lstatSync(lock, { throwIfNoEntry: false }) : undefined;
    return stat !== undefined && now() - stat.mtimeMs > LEFT_MS;
  };
  return async (at, args, env) => {
    const done = await git(at, args, env);
    if (done.ok || done.lock === null || !isLeft(done.lock)) return done;
    rmSync(done.lock, { force: true });
    return git(at, args, env);
  };
}

type Tree = {
  readonly git: Git;
  readonly thread: ThreadId;
  readonly repository: string;
  readonly folder: string;
};

type WorktreeSource = Tree & {
  readonly url: string;
  readonly ref: string | null;
  readonly commit: string | null;
};

/** The worktrees that git has recorded. */
function treesIn({ paths }: Storage): readonly Omit<Tree, "git">[] {
  const repositories = join(paths.workspaces, "repositories");
  return namesIn(repositories).flatMap((name) => {
    const repository = join(repositories, name);
    return namesIn(join(repository, "worktrees")).map((thread) => ({
      thread: thread as ThreadId,
      repository,
      folder: join(paths.workspaces, thread),
    }));
  });
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function findWorktree(
  storage: Storage,
  git: Git,
  { thread: text, workspace }: Leased,
): WorktreeSource | null {
  if (workspace === null) return null;
  const { git: url, ref, commit } = workspace;
  const thread = text as ThreadId;
  const repository = repositoryFolder(storage, url);
  return { git, thread, url, ref, commit, repository, folder: join(storage.paths.workspaces, thread) };
}

/** What git keeps of the worktree, out of reach of the agents' folder. */
function treeDir({ repository, thread }: Tree): string {
  return join(repository, "worktrees", thread);
}

/** Says that the worktree is whole: without it git was killed while making it. */
function markOf(place: Tree): string {
  return join(treeDir(place), "uwf-whole");
}

/** git in the worktree. An agent may have written another `.git` there, whose settings would run programs of its choice. */
function inTree(place: Tree, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return place.git(
    place.folder,
    [`--git-dir=${treeDir(place)}`, `--work-tree=${place.folder}`, ...args],
    env,
  );
}

async function open(place: WorktreeSource, fresh: boolean): Promise<Result<void, Fault>> {
  const known = checked(place);
  if (!known.ok) return known;
  const made = await makeRepository(place);
  if (!made.ok) return made;
  const start = await fetchStart(place);
  if (!start.ok) return start;
  return makeTree(place, start.value, fresh);
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * `submit` has checked them, but a user who can write to the remote's tables can store others, which become
 * arguments of git.
 */
function checked({ thread, url, ref, commit }: WorktreeSource): Result<unknown, Fault> {
  if (commit !== null && !COMMIT.test(commit)) return err(fault("GIT_REF_UNKNOWN", { url, ref: commit }));
  return parseGitAddress(ref === null ? url : `${url}#${ref}`, `the workspace of thread ${thread}`);
}

const FETCHED = "+refs/heads/*:refs/remotes/origin/*";

/** Each command may be repeated: a worker that died here begins again. */
async function makeRepository({ git, url, repository }: WorktreeSource): Promise<Result<void, Fault>> {
  const folder = onDisk(url, () => mkdirSync(repository, { recursive: true }));
  if (!folder.ok) return folder;
  const version = await git(repository, ["--version"]);
  const unusable = version.ok ? outdatedGit(version.out) : version.reason;
  if (unusable !== null) return err(fault("GIT_UNUSABLE", { reason: unusable }));
  const there = await git(repository, ["--git-dir=.", "config", "--get", "remote.origin.fetch"]);
  if (there.ok && there.out === FETCHED) return ok(undefined);
  const commands = [
    ["init", "--quiet", "--bare", "."],
    ["config", "remote.origin.url", url],
    ["config", "remote.origin.fetch", FETCHED],
  ];
  for (const command of commands) {
    const done = await git(repository, command);
    if (!done.ok) return failed(url, "make the repository of", done);
  }
  return ok(undefined);
}

function onDisk(url: string, work: () => void): Result<void, Fault> {
  try {
    work();
    return ok(undefined);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err(fault("GIT_FAILED", { url, action: "keep a copy of", reason }));
  }
}

function failed(
  url: string,
  action: string,
  { reason }: GitAnswer & { readonly ok: false },
): Result<never, Fault> {
  return err(fault("GIT_FAILED", { url, action, reason }));
}

/** The commit that the step begins with. */
async function fetchStart(place: WorktreeSource): Promise<Result<string, Fault>> {
  const { git, repository, thread, commit, ref } = place;
  const own = `refs/uwf/${thread}`;
  const first = commit === null ? [`+${ref ?? "HEAD"}:${own}`] : [];
  const fetched = await fetch(place, [FETCHED, ...first], ref ?? "HEAD");
  if (!fetched.ok) return fetched;
  if (commit !== null && !(await git(repository, ["cat-file", "-e", `${commit}^{commit}`])).ok) {
    const more = await fetch(place, [`+${commit}:${own}`], commit);
    if (!more.ok) return more;
  }
  const tip = await resolveCommit(place, originOf(thread));
  if (commit === null) {
    const base = tip ?? (await resolveCommit(place, own));
    return base === null ? err(fault("GIT_REF_UNKNOWN", { url: place.url, ref: ref ?? "HEAD" })) : ok(base);
  }
  if (tip === null || (await leadsTo(place, tip, commit))) return ok(commit);
  return (await leadsTo(place, commit, tip)) ? ok(tip) : err(moved(place));
}

/** Where the thread's branch stood at the repository when it was last looked at. */
function originOf(thread: string): string {
  return gitBranchOf(thread).replace("refs/heads/", "refs/remotes/origin/");
}

function moved({ url, thread }: WorktreeSource): Fault {
  return fault("GIT_BRANCH_MOVED", { url, thread, branch: `uwf/${thread}` });
}

async function fetch(
  { git, repository, url }: WorktreeSource,
  refspecs: readonly string[],
  ref: string,
): Promise<Result<void, Fault>> {
  // git repacks now and then, and does so before it returns.
  const settings = ["-c", "gc.autoDetach=false", "-c", "maintenance.autoDetach=false"];
  const options = ["--quiet", "--prune", "--no-write-fetch-head"];
  const fetched = await git(repository, [...settings, "fetch", ...options, "origin", ...refspecs]);
  if (fetched.ok) return ok(undefined);
  return /couldn't find remote ref|not our ref/.test(fetched.reason)
    ? err(fault("GIT_REF_UNKNOWN", { url, ref }))
    : failed(url, "fetch from", fetched);
}

async function resolveCommit({ git, repository }: Tree, name: string): Promise<string | null> {
  const found = await git(repository, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
  return found.ok ? found.out : null;
}

async function leadsTo({ git, repository }: WorktreeSource, from: string, to: string): Promise<boolean> {
  return (await git(repository, ["merge-base", "--is-ancestor", from, to])).ok;
}

/** The worktree at that commit, or beyond it: what a failed run has left here stays for the next one, as in any folder. */
async function makeTree(place: WorktreeSource, start: string, fresh: boolean): Promise<Result<void, Fault>> {
  const { git, thread, url, repository, folder } = place;
  const mark = markOf(place);
  const at = existsSync(mark) ? await inTree(place, ["rev-parse", "HEAD"]) : null;
  if (at?.ok && !fresh && (await leadsTo(place, start, at.out))) return ok(undefined);
  const inRepository = (...args: readonly string[]) => git(repository, args);
  const commands: (() => Promise<GitAnswer>)[] = [];
  if (at?.ok) {
    // Commits that only this clone has are kept, under a name of their own.
    if (!(await leadsTo(place, at.out, start))) commands.push(() => retainLate(place, at.out));
    commands.push(() => inTree(place, ["checkout", "--quiet", "--force", "-B", `uwf/${thread}`, start]));
    // Keeps what git ignores: dependencies are installed once.
    commands.push(() => inTree(place, ["clean", "--quiet", "--force", "-d"]));
  } else {
    if (existsSync(join(folder, ".git")))
      commands.push(() => inRepository("worktree", "remove", "--force", "--force", folder));
    commands.push(() => inRepository("worktree", "prune"));
    const add = ["worktree", "add", "--quiet", "--force", "-B", `uwf/${thread}`, folder, start];
    commands.push(() => inRepository(...add));
  }
  rmSync(mark, { force: true });
  for (const command of commands) {
    const done = await command();
    if (!done.ok) return failed(url, "check out", done);
  }
  return onDisk(url, () => writeFileSync(mark, ""));
}

function retainLate({ git, repository }: Tree, commit: string): Promise<GitAnswer> {
  return git(repository, ["update-ref", `refs/uwf/late/${commit}`, commit]);
}

async function keep(
  storage: Storage,
  place: WorktreeSource,
  { head, isLate }: { readonly head: string; readonly isLate: boolean },
): Promise<Result<string, Fault>> {
  const { url, thread } = place;
  const committed = await commit(place, roleAt(storage, head) ?? "uwf", head);
  if (!committed.ok) return failed(url, "commit a step to a copy of", committed);
  const now = await inTree(place, ["rev-parse", "HEAD"]);
  if (!now.ok) return failed(url, "read a copy of", now);
  if (isLate || (await isThere(place, now.out))) return ok(now.out);
  // Only forward: git itself compares and sets.
  const pushed = await inTree(place, ["push", "--quiet", "origin", `${now.out}:${gitBranchOf(thread)}`]);
  if (pushed.ok) return ok(now.out);
  return /\[rejected\]/.test(pushed.reason) ? err(moved(place)) : failed(url, "push to", pushed);
}

async function commit(place: WorktreeSource, role: string, head: string): Promise<GitAnswer> {
  const added = await inTree(place, ["add", "--all"]);
  if (!added.ok) return added;
  const staged = await inTree(place, ["diff", "--cached", "--quiet"]);
  if (staged.ok) return staged;
  const known = await inTree(place, ["config", "user.email"]);
  const message = `uwf: ${role}\n\nThread: ${place.thread}\nStep: ${head}`;
  return inTree(place, [...GIT_COMMIT, "-m", message], known.ok ? {} : GIT_NOBODY);
}

/** Whether the next worker finds the commit: at the thread's branch, or, without one, anywhere in the repository. */
async function isThere(place: Tree, now: string): Promise<boolean> {
  const { thread } = place;
  const tip = await resolveCommit(place, originOf(thread));
  if (tip !== null) return tip === now;
  const own = await resolveCommit(place, `refs/uwf/${thread}`);
  const missing = await inTree(place, [
    ...["rev-list", "--max-count=1", now, "--not", "--remotes=origin"],
    ...(own === null ? [] : [own]),
  ]);
  return missing.ok && missing.out === "";
}

async function remove(place: Tree): Promise<void> {
  const { git, repository, folder, thread } = place;
  if (!existsSync(markOf(place))) return;
  const at = await inTree(place, ["rev-parse", "HEAD"]);
  if (!at.ok) return;
  // The commit of a step that came too late.
  const isKept = (await isThere(place, at.out)) || (await retainLate(place, at.out)).ok;
  const removed: GitAnswer | null = isKept ? await git(repository, ["worktree", "remove", folder]) : null;
  if (!removed?.ok) return;
  await git(repository, ["branch", "--quiet", "-D", `uwf/${thread}`]);
  await git(repository, ["update-ref", "-d", `refs/uwf/${thread}`]);
}
