import { statSync } from "node:fs";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { refusalOf } from "./executable.js";
import { closeStdin, openStdin } from "./input.js";
import { type OpenOutput, openOutput } from "./output.js";
import { throughTrampoline } from "./trampoline.js";
import type { ChildSpec, Spawned, SpawnFunction } from "./types.js";

export type Outputs = { readonly stdout: OpenOutput; readonly stderr: OpenOutput };

export type Started = { readonly child: Spawned; readonly outputs: Outputs };

/** Where execvp looks when the environment has no PATH. */
const DEFAULT_PATH = "/bin:/usr/bin";

/**
 * Checks, opens, starts; the error is why not, as a sentence, and nothing is left open then.
 * `fail` takes what a callback throws.
 */
export async function startChild(
  spec: ChildSpec,
  spawn: SpawnFunction,
  fail: (error: unknown) => void,
): Promise<Result<Started, string>> {
  const refusal =
    refusalOfWords(spec) ??
    refusalOfFolder(spec.cwd) ??
    refusalOf(spec.command, spec.env.PATH ?? DEFAULT_PATH);
  if (refusal !== null) return err(refusal);
  const opened: OpenOutput[] = [];
  try {
    const stdout = openOutput(spec.stdout, fail);
    opened.push(stdout);
    const stderr = openOutput(spec.stderr, fail);
    opened.push(stderr);
    return ok({ child: await spawnOver(spec, spawn, stdout, stderr), outputs: { stdout, stderr } });
  } catch (error) {
    for (const output of opened) output.close();
    return err(sentenceOf(error));
  }
}

async function spawnOver(
  spec: ChildSpec,
  spawn: SpawnFunction,
  stdout: OpenOutput,
  stderr: OpenOutput,
): Promise<Spawned> {
  const { command, args, env } = spec.pidFile === null ? spec : throughTrampoline(spec, spec.pidFile);
  const stdin = openStdin(spec.stdin);
  try {
    const channels = { stdin, stdout: stdout.channel, stderr: stderr.channel };
    return await spawn({ command, args, env, cwd: spec.cwd, ...channels });
  } finally {
    closeStdin(stdin);
  }
}

// The system's strings end at NUL: what stands behind it would be lost without a word.
function refusalOfWords({ command, args, cwd, env }: ChildSpec): string | null {
  const words = [command, cwd, ...args, ...Object.entries(env).flat()];
  return words.some((word) => word.includes("\0"))
    ? "its arguments or its environment hold a NUL character"
    : null;
}

function refusalOfFolder(cwd: string): string | null {
  const stat = statSync(cwd, { throwIfNoEntry: false });
  if (stat === undefined) return `its working directory ${cwd} does not exist`;
  return stat.isDirectory() ? null : `its working directory ${cwd} is not a directory`;
}

const SENTENCES: Readonly<Record<string, string>> = {
  E2BIG: "its arguments or its environment are too long for this system",
  EAGAIN: "the limit of processes is reached",
  EMFILE: "the limit of open files is reached",
  ENFILE: "the limit of open files is reached",
  ENOEXEC: "exec format error",
  ENOMEM: "out of memory",
};

// Only what the system refuses is an outcome; anything else is a bug and goes on.
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") throw error;
  return SENTENCES[error.code] ?? error.message;
}
