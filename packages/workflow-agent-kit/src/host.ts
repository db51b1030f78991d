import { writeStderr as rawStderr, syncStdout, writeStdout } from "@uncaged/json-cas-fs";
import { ENV, exitCodeOf, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "@uncaged/workflow-store";
import { endingSignals } from "@uncaged/workflow-util";
import { FaultError, renderFault } from "./fault.js";

export type Env = Readonly<Record<string, string | undefined>>;

/** The process around an agent; tests bring their own. */
export type Host = {
  readonly argv: readonly string[];
  readonly env: Env;
  /** Makes a variable visible to the author's code and its children. */
  readonly setEnv: (name: string, value: string) => void;
  /** From now on everything that goes to stderr passes through `clean`. */
  readonly conceal: (clean: (text: string) => string) => void;
  readonly cwd: string;
  readonly home: string | null;
  /** Epoch ms. */
  readonly now: () => number;
  /** Written at once; on a file it is durable when this returns. Throws `CasError` `IO_FAILED`. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Calls back with the name of the first signal that asks the process to end. */
  readonly onInterrupt: (listener: (signal: string) => void) => void;
  /** How long an interrupted `run` may take to come to an end, in ms. */
  readonly graceMs: number;
};

const GRACE_MS = 5000;
/** Handles that an author's code forgot to close do not keep the process longer than this. */
const LINGER_MS = 250;

const EXIT = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

let clean = (text: string): string => text;

/** To stderr, without keys once the host knows them: uwf does not know which variables each agent's program reads. */
export function writeStderr(text: string): void {
  rawStderr(clean(text));
}

/** The real process. This is the only place of the kit that touches it. */
export function processHost(argv: readonly string[]): Host {
  endOnUncaught(writeStderr);
  return {
    argv,
    env: process.env,
    setEnv: (name, value) => {
      process.env[name] = value;
    },
    conceal: (given) => {
      clean = given;
    },
    cwd: process.cwd(),
    // node:os costs bun 4 ms, and HOME is set nearly always.
    home: process.env.HOME || process.getBuiltinModule("node:os").homedir(),
    now: Date.now,
    out: writeOutput,
    err: writeStderr,
    onInterrupt,
    graceMs: GRACE_MS,
  };
}

/** The part of it that a program prints with. */
function processStreams(): Pick<Host, "env" | "err" | "out"> {
  return { env: process.env, err: writeStderr, out: writeOutput };
}

/** Ends the process once nothing is left to do, and soon after even if something is. */
export function endProcess(code: number): void {
  process.exitCode = code;
  // Without an argument: an agent may still change `process.exitCode`.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/**
 * Ends the agent when the author's code throws and nothing catches it. bun alone would print the error and go
 * on while a top-level `await` is pending, which is how an agent's file waits for its run.
 */
function endOnUncaught(say: (text: string) => void): void {
  if (process.versions.bun === undefined) return;
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      // The author has a listener.
      if (process.listenerCount(event) > 1) return;
      say(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    });
  }
}

function onInterrupt(listener: (signal: string) => void): void {
  let interrupted = false;
  for (const signal of endingSignals(process.env)) {
    process.on(signal, () => {
      if (interrupted) process.exit(EXIT[signal]);
      interrupted = true;
      listener(signal);
    });
  }
}

/** To stdout. A hash must survive a crash right after it: uwf reads it from this file and never runs the step again. */
export function writeOutput(text: string): void {
  writeStdout(Buffer.from(text));
  syncStdout();
}

/** Why nothing was printed, since stdout may be a file on a full disk; `null`: it was. */
export function unprinted({ out }: Pick<Host, "out">, text: string): Fault | null {
  const written = attempt(() => out(text));
  return written.ok ? null : written.error;
}

/** Prints what is known so far. Throws a `FaultError` where stdout cannot be written. */
export function printMore(host: Pick<Host, "out">, text: string): void {
  const failure = unprinted(host, text);
  if (failure !== null) throw new FaultError(failure);
}

/** Prints a program's result, or on stderr why there is none. Gives the exit code. */
export function printResult(host: Pick<Host, "env" | "err" | "out">, result: Result<string, Fault>): number {
  const failure = result.ok ? unprinted(host, result.value) : result.error;
  if (failure === null) return 0;
  host.err(renderFault(failure, host.env[ENV.errorFormat] === "json"));
  return exitCodeOf(failure);
}

/** Prints a text on this process's stdout. Gives `exitCode`, or 74 where it cannot be written, which stderr then says. */
export function printText(text: string, exitCode: number): number {
  return printResult(processStreams(), ok(text)) || exitCode;
}
