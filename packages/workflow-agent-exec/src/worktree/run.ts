import { type ChildProcess, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Fault } from "@uncaged/workflow-agent-kit";
import {
  ENV,
  GIT_COMMIT,
  GIT_NOBODY,
  gitBranchOf,
  resolveCommand,
  withoutGitPlaces,
} from "@uncaged/workflow-util";
import { type Env, type Git, gitWith, type Problem, repositoryAt } from "./repository.js";
import { openTree, prepareTree, type Tree } from "./tree.js";

/** What `uwf-worktree --help` prints. */
export const HELP = `uwf thread step <thread> --agent "uwf-worktree -- uwf-claude"
uwf thread step <thread> --agent "uwf-worktree --setup 'npm ci' --snapshot -- uwf-exec -- npm test"

Usage: uwf-worktree [options] -- <agent…> <thread-id> <role>
       uwf-worktree --prune

A uwf agent that runs another one in a git worktree of the thread's own, so that several threads can work on one
repository at once. The first step makes the worktree, on the branch uwf/<thread>, in the folder
<repository>.worktrees/<thread> beside the repository; every further step works there. The agent is never run anywhere
else. Files that git ignores and that .worktreeinclude matches (patterns as in .gitignore) are copied into it once.

Options:
  --base <ref>       what the branch begins with; without it the HEAD of the current folder, which must be on a
                     branch and have no uncommitted changes
  --setup <command>  run once in a new worktree, by sh; again if it was interrupted or failed
  --snapshot         commit what the agent left after each step
  --prune            remove the worktrees that are clean and in which no commit would be lost; branches stay
  --version
`;

export const USAGE =
  "usage: uwf-worktree [--base <ref>] [--setup <command>] [--snapshot] -- <agent…> <thread-id> <role>, or uwf-worktree --prune";

/** The command line, without the two arguments that uwf appends. */
export type Words = {
  /** The program and its arguments; not empty. */
  readonly agent: readonly [string, ...string[]];
  /** `null`: the HEAD of the calling folder. */
  readonly base: string | null;
  readonly setup: string | null;
  readonly snapshot: boolean;
};

export type Parsed =
  | { readonly ok: true; readonly words: Words }
  /** A sentence. */
  | { readonly ok: false; readonly reason: string };

export function parseWords(args: readonly string[]): Parsed {
  let [base, setup, snapshot]: [string | null, string | null, boolean] = [null, null, false];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (word === "--") {
      const [program, ...rest] = args.slice(at + 1);
      if (program === undefined) return { ok: false, reason: "there is no agent after --" };
      return { ok: true, words: { agent: [program, ...rest], base, setup, snapshot } };
    }
    if (word === "--snapshot") {
      snapshot = true;
      continue;
    }
    const [, name = word, given] = /^(--[a-z]+)=(.*)$/s.exec(word) ?? [];
    if (name !== "--base" && name !== "--setup") {
      return { ok: false, reason: `unknown option ${word} before --` };
    }
    if (given === undefined) at += 1;
    const value = given ?? args[at] ?? "";
    if (value === "" || value === "--") return { ok: false, reason: `${name} needs a value` };
    if (name === "--base") base = value;
    else setup = value;
  }
  return { ok: false, reason: "there is no -- before the agent" };
}

/** The pid of the process whose agent works in the worktree; in its git folder. */
export const IN_USE = "uwf-pid";

/** The process around us. */
export type Port = {
  readonly cwd: string;
  readonly env: Env;
  readonly pid: number;
  /** One line to stderr. */
  readonly say: (line: string) => void;
};

type Step = { readonly thread: string; readonly role: string };

/** How the agent ended: one of the two is `null`. */
export type End = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

type Ended =
  | { readonly ok: true; readonly end: End }
  /** The agent did not run. */
  | { readonly ok: false; readonly fault: Fault };

/**
 * Runs the agent in the thread's worktree, with our stdin, stdout and stderr and in our process group: what uwf sends and
 * reads goes past us.
 */
export async function runInTree(words: Words, step: Step, port: Port): Promise<Ended> {
  const git = gitWith(port.env);
  const repository = repositoryAt(git, port.cwd);
  if (!repository.ok) return failed(step, repository.problem);
  const tree = openTree(git, repository.value, { thread: step.thread, base: words.base });
  if (!tree.ok) return failed(step, tree.problem);
  const env = environmentIn(tree.value, port);
  const order = { setup: words.setup, env, say: port.say };
  const outcome = prepareTree(git, repository.value, tree.value, order);
  if (outcome !== null) return { ok: false, fault: setupFailed(words, step, outcome) };
  const [program, ...args] = words.agent;
  // A relative command counts from the folder in which uwf was called.
  const file = resolveCommand(program, { path: env.PATH ?? "", cwd: port.cwd });
  if (!file.ok) return { ok: false, fault: file.error };
  const inUse = join(tree.value.gitDir, IN_USE);
  writeFileSync(inUse, `${port.pid}\n`);
  try {
    const child = spawn(file.value, [...args, step.thread, step.role], {
      cwd: tree.value.cwd,
      env,
      stdio: "inherit",
    });
    const end = await endOf(child);
    if (end instanceof Error) {
      return { ok: false, fault: { code: "AGENT_NOT_STARTABLE", command: program, reason: end.message } };
    }
    const unsaved = words.snapshot && end.code === 0 ? snapshot(git, tree.value, step) : null;
    if (unsaved !== null) port.say(`the work was not committed: ${unsaved}`);
    return { ok: true, end };
  } finally {
    rmSync(inUse, { force: true });
  }
}

function endOf(child: ChildProcess): Promise<End | Error> {
  return new Promise((done) => {
    child.once("error", done);
    child.once("exit", (code, signal) => done({ code, signal }));
  });
}

/** A relative storage root means the same as before. */
const PATHS = [ENV.storageRoot, ENV.storageRootShort];

function environmentIn({ cwd }: Tree, port: Port): Env {
  const roots = PATHS.flatMap((name) => {
    const path = port.env[name];
    return path ? [[name, resolve(port.cwd, path)]] : [];
  });
  return { ...withoutGitPlaces(port.env), ...Object.fromEntries(roots), PWD: cwd };
}

function failed({ thread }: Step, { reason, hint }: Problem): Ended {
  return { ok: false, fault: { code: "WORKTREE_UNUSABLE", thread, reason, hint } };
}

function setupFailed({ setup }: Words, { role }: Step, outcome: string): Fault {
  const command = "uwf-worktree";
  const message = `the setup of the worktree, ${setup}, ${outcome}`;
  const hint = "its output is above; correct it, then step again";
  return { code: "AGENT_FAILED", command, role, outcome, stderr: "", message, hint };
}

/** Commits everything that git does not ignore, without hooks. Gives why it could not, or `null`. */
export function snapshot(git: Git, { path }: Tree, { thread, role }: Step): string | null {
  const head = git.run(path, ["symbolic-ref", "--quiet", "HEAD"]);
  if (!head.ok || head.out !== gitBranchOf(thread)) return `the worktree is no longer on uwf/${thread}`;
  const added = git.run(path, ["add", "--all"]);
  if (!added.ok) return added.reason;
  if (git.run(path, ["diff", "--cached", "--quiet"]).ok) return null;
  const known = git.run(path, ["config", "user.email"]).ok;
  const message = `uwf: ${role}\n\nThread: ${thread}`;
  const committed = git.run(path, [...GIT_COMMIT, "-m", message], known ? {} : GIT_NOBODY);
  return committed.ok ? null : committed.reason;
}
