import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { gitEnvironment } from "@uncaged/workflow-util";

/** `out` is stdout without the last line end; `reason` what git says has gone wrong, `lock` the lock file that was in its way. */
export type GitAnswer =
  | { readonly ok: true; readonly out: string }
  | { readonly ok: false; readonly reason: string; readonly isAbsent: boolean; readonly lock: string | null };

type Env = Readonly<Record<string, string | undefined>>;

/** Runs git in a folder. Never throws. */
export type Git = (at: string, args: readonly string[], env?: Env) => Promise<GitAnswer>;

/** No person can answer a prompt of git here; a host that sends nothing for a minute is gone. */
const ALONE = { GIT_SSH_COMMAND: "ssh -o BatchMode=yes -o ServerAliveInterval=15" };
const PATIENCE: readonly string[] = ["-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60"];

/** No transfer takes longer, in ms. */
const LIMIT_MS = 30 * 60 * 1000;

/** Bytes of an answer; none of ours is long. */
const MOST_OUTPUT = 16 * 1024 * 1024;

export function gitWith(env: Env): Git {
  const own = { ...ALONE, ...gitEnvironment(env) };
  return (at, args, more = {}) =>
    new Promise((answer) => {
      const options = { cwd: at, env: { ...own, ...more }, timeout: LIMIT_MS, maxBuffer: MOST_OUTPUT };
      execFile("git", [...PATIENCE, ...args], options, (error, stdout, stderr) => {
        if (error === null) return answer({ ok: true, out: stdout.replace(/\n$/, "") });
        const isAbsent = error.code === "ENOENT";
        const reason = isAbsent ? "git is not on PATH" : saidIn(stderr) || `git ${args[0]} ended early`;
        return answer({ ok: false, reason, isAbsent, lock: lockIn(stderr, at) });
      });
    });
}

function lockIn(stderr: string, at: string): string | null {
  const [, lock] = /Unable to create '(\/.+?\.lock)': File exists/.exec(stderr) ?? [];
  const [, config] = /could not lock config file (.+): File exists/.exec(stderr) ?? [];
  return lock ?? (config === undefined ? null : resolve(at, `${config}.lock`));
}

const ADVICE = /^(?:hint:|Please make sure you have the correct access rights|and the repository exists)/;

/** The end of it, in one line, without names and passwords that git's configuration puts into addresses. */
function saidIn(stderr: string): string {
  const lines = stderr.replaceAll(/\/\/[^/@\s]+@/g, "//").split("\n");
  const messages = lines.map((line) => line.trim()).filter((line) => line !== "" && !ADVICE.test(line));
  return messages
    .join("; ")
    .slice(-500)
    .replace(/^(?:fatal|error): /, "");
}
