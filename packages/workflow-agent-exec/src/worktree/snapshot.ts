import type { Git } from "./git.js";
import { branchOf } from "./repository.js";
import type { Tree } from "./tree.js";

type Step = { readonly thread: string; readonly role: string };

/** Who commits where git knows nobody. */
const NOBODY = {
  GIT_AUTHOR_NAME: "uwf",
  GIT_AUTHOR_EMAIL: "uwf@localhost",
  GIT_COMMITTER_NAME: "uwf",
  GIT_COMMITTER_EMAIL: "uwf@localhost",
};

/** Nothing that asks a person, and no process that goes on in the background. */
const WITHOUT = ["-c", "commit.gpgsign=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"];

/** Commits everything that git does not ignore, without hooks. Gives why it could not, or `null`. */
export function snapshot(git: Git, { path }: Tree, { thread, role }: Step): string | null {
  const head = git.run(path, ["symbolic-ref", "--quiet", "HEAD"]);
  if (!head.ok || head.out !== branchOf(thread)) return `the worktree is no longer on uwf/${thread}`;
  const added = git.run(path, ["add", "--all"]);
  if (!added.ok) return added.reason;
  if (git.run(path, ["diff", "--cached", "--quiet"]).ok) return null;
  const known = git.run(path, ["config", "user.email"]).ok;
  const message = `uwf: ${role}\n\nThread: ${thread}`;
  const committed = git.run(
    path,
    [...WITHOUT, "commit", "--quiet", "--no-verify", "-m", message],
    known ? {} : NOBODY,
  );
  return committed.ok ? null : committed.reason;
}
