import { spawnSync } from "node:child_process";
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
export function unusableGit(git: Git, cwd: string): string | null {
  const asked = git.run(cwd, ["--version"]);
  return asked.ok ? outdatedGit(asked.out) : asked.reason;
}
