import { GIT_COMMIT, GIT_NOBODY, gitBranchOf } from "@uncaged/workflow-util";
import type { Git } from "./git.js";
import type { Tree } from "./tree.js";

type Step = { readonly thread: string; readonly role: string };

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
