import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
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

type Address = { readonly git: string; readonly ref: string | null };

const WITH_SCHEME = /^(?:https?|ssh|git|file):\/\//;

/** As ssh takes it: user@host:path. */
const SCP_LIKE = /^[\w.-]+@[\w.-]+:[^\s:]+$/;

/** What git accepts as the name of a branch, a tag or a commit, roughly, and nothing that is an option or a refspec. */
const REF = /^[^-+\s:*?[\\^~][^\s:*?[\\^~]*$/;

/** A folder is named after it. */
const LONGEST = 240;

/**
 * `<url>` or `<url>#<ref>`, as `submit --workspace` has it; `what`: who has given it. No fault repeats the address: it may hold
 * a password.
 */
export function parseGitAddress(text: string, what = "--workspace"): Result<Address, Fault> {
  const refused = (reason: string, hint: string): Result<never, Fault> =>
    err(fault("INVALID_INPUT", { what, reason, hint }));
  const [git = "", ...rest] = text.split("#");
  const ref = rest.length === 0 ? null : rest.join("#");
  const hint =
    "write it as git takes it on every worker: https://host/path, ssh://git@host/path, git@host:path or file:///path";
  if (!WITH_SCHEME.test(git) && !SCP_LIKE.test(git))
    return refused("it is not the address of a repository", hint);
  if (/\s/.test(git) || encodeURIComponent(git).length > LONGEST)
    return refused(`an address has no blanks, and at most ${LONGEST} characters`, hint);
  if (leadsUp(git)) return refused("an address has no .. in its path", hint);
  if (holdsSecret(git)) {
    return refused(
      "the address has a password or token in it, which would be kept in the database",
      "leave it out, and give it to git on the workers' machines: by a credential helper (git help credentials) or an SSH key",
    );
  }
  return ref === null || REF.test(ref)
    ? ok({ git, ref })
    : refused(
        ref === "" ? "nothing stands after the #" : `${ref} after the # is no branch, tag or commit`,
        "name one, or leave it out for the default branch",
      );
}

/** Which repository `..` means is up to the server, or to the folders of the worker. */
function leadsUp(git: string): boolean {
  return /(?:^|[/:\\])\.\.(?:[/\\]|$)/.test(withoutEscapes(git));
}

/** git decodes an address, a proxy may decode it again, and then a server: escapes of escapes count as what they end as. */
function withoutEscapes(text: string): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return decoded === text ? text : withoutEscapes(decoded);
}

/** Over https any user name may be a token; over ssh it is a name. */
function holdsSecret(git: string): boolean {
  const [, scheme = "", authority = ""] = /^(\w+):\/\/([^/]*)/.exec(git) ?? [];
  const user = authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : "";
  return user.includes(":") || (user !== "" && scheme.startsWith("http")) || git.includes("?");
}
