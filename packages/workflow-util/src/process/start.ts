import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { ignoredSignals } from "../own-program.js";
import { refusalOf } from "./executable.js";
import { ioFailed, isErrno, refusalOfWords } from "./failure.js";
import { openOutput, readPrefix } from "./output.js";
import { lazyOs } from "./spawn.js";
import type {
  ChildOutput,
  ChildStdin,
  IoFailed,
  OpenOutput,
  Outputs,
  Refusal,
  Spawned,
  SpawnFunction,
  SpawnRequest,
  Started,
  WholeChildSpec,
} from "./types.js";

/** The variables that are set: what a child can be given. */
export function definedOnly(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * What the child reads from; `null` is /dev/null. A text goes into a file that is unlinked before the child
 * starts: unlike a pipe it gives no EPIPE if the child never reads, does not block at 64 KiB, and stays complete
 * if we die.
 */
function openInput(stdin: ChildStdin): Result<SpawnRequest["stdin"], IoFailed> {
  if (stdin.kind === "null") return ok(null);
  if (stdin.kind === "pipe") return ok(stdin.attach);
  try {
    const folder = mkdtempSync(join(lazyOs().tmpdir(), "uwf-stdin-"));
    try {
      const file = join(folder, "stdin");
      writeFileSync(file, stdin.text, { mode: 0o600 });
      return ok(openSync(file, "r"));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } catch (error) {
    return err(ioFailed("write", "a temporary file", error));
  }
}

/** Where execvp looks when the environment has no PATH. */
const DEFAULT_PATH = "/bin:/usr/bin";

/** Checks, opens, starts; leaves nothing open if it refuses. `fail` gets what a callback throws. */
export async function startChild(
  spec: WholeChildSpec,
  spawn: SpawnFunction,
  fail: (error: unknown) => void,
): Promise<Result<Started, Refusal>> {
  const refusal =
    refusalOfWords(spec) ??
    refusalOfFolder(spec.cwd) ??
    refusalOf(spec.command, spec.env.PATH ?? DEFAULT_PATH);
  if (refusal !== null) return err({ kind: "not-startable", reason: refusal });
  const outputs = openBoth(spec, fail);
  if (!outputs.ok) return outputs;
  const started = await startOver(spec, spawn, outputs.value);
  if (started.ok) return ok({ child: started.value, outputs: outputs.value });
  outputs.value.stdout.close();
  outputs.value.stderr.close();
  return started;
}

async function startOver(
  spec: WholeChildSpec,
  spawn: SpawnFunction,
  outputs: Outputs,
): Promise<Result<Spawned, Refusal>> {
  const stdin = openInput(spec.stdin);
  if (!stdin.ok) return stdin;
  try {
    return ok(await spawn(requestOf(spec, stdin.value, outputs)));
  } catch (error) {
    // A file that we need for it, not the command. bun says `posix_spawn`.
    const isOurs = isErrno(error) && "syscall" in error && !String(error.syscall).includes("spawn");
    return err(
      isOurs ? ioFailed("open", "/dev/null", error) : { kind: "not-startable", reason: sentenceOf(error) },
    );
  } finally {
    if (typeof stdin.value === "number") closeSync(stdin.value);
  }
}

function openBoth(
  spec: Pick<WholeChildSpec, "stdout" | "stderr">,
  fail: (error: unknown) => void,
): Result<Outputs, IoFailed> {
  const stdout = open(spec.stdout, fail);
  if (!stdout.ok) return stdout;
  const stderr = open(spec.stderr, fail);
  if (stderr.ok) return ok({ stdout: stdout.value, stderr: stderr.value });
  stdout.value.close();
  return stderr;
}

function open(output: ChildOutput, fail: (error: unknown) => void): Result<OpenOutput, IoFailed> {
  try {
    return ok(openOutput(output, fail));
  } catch (error) {
    return err(ioFailed("open", output.kind === "file" ? output.path : "a pipe", error));
  }
}

function requestOf(
  spec: WholeChildSpec,
  stdin: SpawnRequest["stdin"],
  { stdout, stderr }: Outputs,
): SpawnRequest {
  const { command, args, env } = spec.pidFile === null ? spec : throughTrampoline(spec, spec.pidFile);
  return { command, args, env, cwd: spec.cwd, stdin, stdout: stdout.channel, stderr: stderr.channel };
}

function refusalOfFolder(cwd: string): string | null {
  const refused = (how: string): string => `its working directory ${cwd} ${how}`;
  try {
    const stat = statSync(cwd, { throwIfNoEntry: false });
    if (stat === undefined) return refused("does not exist");
    return stat.isDirectory() ? null : refused("is not a directory");
  } catch (error) {
    return refused(`cannot be looked at: ${sentenceOf(error)}`);
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  E2BIG: "its arguments or its environment are too long for this system",
  EAGAIN: "the limit of processes is reached",
  EMFILE: "the limit of open files is reached",
  ENFILE: "the limit of open files is reached",
  ENOEXEC: "exec format error",
  ENOMEM: "out of memory",
};

// Only a refusal of the system is an outcome; anything else is a bug and is rethrown.
function sentenceOf(error: unknown): string {
  if (!isErrno(error)) throw error;
  return SENTENCES[error.code] ?? error.message;
}

/**
 * The trampoline could not create its record: another process took the run away, or the file cannot be made.
 */
const NOT_CREATED = 125;

/** It created the record and could not write it: the disk is full. */
const NOT_WRITTEN = 124;

/** More than a line of /proc/<pid>/stat and the mark. */
const RECORD_BYTES = 8 * 1024;

/** Second line of the pid file when the command could not be executed after all. */
const NOT_STARTED = "not started";

/**
 * What /bin/sh runs as `$0 <pid file> <PWD> <command> [args…]` before it becomes the command:
 *
 *   set -C        `>` creates with O_EXCL, so this shell and a process taking the run away exclude each other
 *   umask         any user could write the record if the umask is 0; the command gets its own umask back
 *   trap '' HUP   what the caller ignores (`nohup uwf …`), the command ignores: Node.js and bun have reset it
 *   read          our own pid and start time in one line; without /proc (not Linux) only the pid
 *   printf        a record that cannot be written is not one that cannot be created
 *   trap EXIT     runs only when `exec` failed, and leaves a mark that no exit code can fake
 *   execfail      bash exits on a failed exec without running the trap, unless told so
 *   PWD           shells set it; the child gets what it was given
 *
 * No other program uses the names of these variables: else the script would change one of the child's.
 */
const RECORD = `set -C
umask 022
_uwf_f=$1 _uwf_d=$2
shift 2
{ read -r _uwf_s </proc/$$/stat; } 2>/dev/null || _uwf_s=$$
{ { printf '%s\\n' "$_uwf_s" || exit ${NOT_WRITTEN}; } >"$_uwf_f"; } 2>/dev/null || exit ${NOT_CREATED}
trap 'printf "${NOT_STARTED}\\n" >>"$_uwf_f"' EXIT
case \${BASH_VERSION-} in ?*) shopt -s execfail ;; esac
`;

type Command = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/** The command that records itself in `pidFile` and then becomes `wanted`. */
function throughTrampoline(wanted: Command, pidFile: string): Command {
  const { command, args, env } = wanted;
  const lost = unshellable(env);
  const words = [pidFile, env.PWD ?? "", ...lost, command, ...args];
  const unset = SHELL_SETS.filter((name) => env[name] === undefined);
  const restore = unset.includes("PWD") ? "" : "PWD=$_uwf_d\n";
  const own = `${ignoring(env)}umask ${process.umask().toString(8)}\n`;
  const script = `${RECORD}${own}${restore}${unset.length === 0 ? "" : `unset ${unset.join(" ")}\n`}exec "$@"`;
  return { command: "/bin/sh", args: ["-c", script, "uwf", ...words], env };
}

/** The agent never ignores SIGTERM: uwf ends it with that signal. */
function ignoring(env: Command["env"]): string {
  const ignored = ignoredSignals(env).filter((signal) => signal !== "SIGTERM");
  return ignored.length === 0 ? "" : `trap '' ${ignored.map((signal) => signal.slice(3)).join(" ")}\n`;
}

const SHELL_SETS = ["PWD", "OLDPWD", "SHLVL", "_"];

// A shell drops variables whose names it could not spell (`a.b`, exported functions) and resets some of its own.
// env(1) puts these few back; for the moment until it becomes the command they stand in its arguments.
function unshellable(env: Readonly<Record<string, string>>): readonly string[] {
  const lost = Object.entries(env).filter(
    ([name]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || SHELL_OWN.has(name),
  );
  return lost.length === 0 ? [] : ["/usr/bin/env", ...lost.map(([name, value]) => `${name}=${value}`)];
}

const SHELL_OWN: ReadonlySet<string> = new Set(["IFS", "OPTIND", "PPID", "LINENO"]);

/**
 * Why the trampoline's process never became the command; `null` when it did. The pid file decides, not the exit code:
 * an agent may itself exit with 124 to 127.
 */
export function trampolineRefusal(pidFile: string, pid: number, code: number): Refusal | null {
  const [record = "", mark] = (readPrefix(pidFile, RECORD_BYTES)?.toString("latin1") ?? "").split("\n");
  if (Number.parseInt(record, 10) !== pid) return unrecorded(pidFile, code);
  if (mark !== NOT_STARTED) return null;
  return { kind: "not-startable", reason: `the system refused to execute it (status ${code})` };
}

function unrecorded(pidFile: string, code: number): Refusal | null {
  if (code === NOT_WRITTEN) return failureTo("write", pidFile, "a");
  if (code !== NOT_CREATED) return null;
  if (existsSync(pidFile)) return { kind: "not-startable", reason: "its run was taken away" };
  const failure = failureTo("create", pidFile, "wx");
  rmSync(pidFile, { force: true });
  return failure;
}

/** A shell does not report the errno: the same operation is repeated here to learn it. The run is over either way. */
function failureTo(operation: string, path: string, flags: string): IoFailed {
  try {
    const fd = openSync(path, flags, 0o600);
    try {
      writeSync(fd, "\n");
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return ioFailed(operation, path, error);
  }
  return { kind: "io-failed", operation, path, errno: "EIO", reason: "it failed once and would work now" };
}
