import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { refusalOf } from "./executable.js";
import { ioFailed, isErrno, refusalOfWords } from "./failure.js";
import { openOutput } from "./output.js";
import { lazyOs } from "./spawn.js";
import { throughTrampoline } from "./trampoline.js";
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
 * if we die. Throws system errors.
 */
function openStdin(stdin: ChildStdin): SpawnRequest["stdin"] {
  if (stdin.kind === "null") return null;
  if (stdin.kind === "pipe") return stdin.attach;
  const folder = mkdtempSync(join(lazyOs().tmpdir(), "uwf-stdin-"));
  try {
    const file = join(folder, "stdin");
    writeFileSync(file, stdin.text, { mode: 0o600 });
    return openSync(file, "r");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function closeStdin(opened: SpawnRequest["stdin"]): void {
  if (typeof opened === "number") closeSync(opened);
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
    closeStdin(stdin.value);
  }
}

function openInput(stdin: ChildStdin): Result<SpawnRequest["stdin"], IoFailed> {
  try {
    return ok(openStdin(stdin));
  } catch (error) {
    return err(ioFailed("write", "a temporary file", error));
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
