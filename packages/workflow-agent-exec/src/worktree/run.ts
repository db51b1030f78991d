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
import { type Env, type Git, gitWith } from "./git.js";
import { prepareTree } from "./prepare.js";
import { type Problem, repositoryAt } from "./repository.js";
import { openTree, type Tree } from "./tree.js";
import type { Words } from "./words.js";

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
