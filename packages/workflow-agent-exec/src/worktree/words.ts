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
