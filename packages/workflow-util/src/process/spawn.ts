import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import type { Channel, Exit, Sink, Spawned, SpawnFunction, SpawnRequest } from "./types.js";

/** node:os, loaded on demand: it costs bun 4 ms, and a run that is not interrupted does not need it. */
export function lazyOs(): typeof import("node:os") {
  return process.getBuiltinModule("node:os");
}

// What is used of Bun.spawn, typed by hand: the package needs no types of bun, and runs without it.

type BunChild = {
  readonly pid: number;
  readonly exited: Promise<number>;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  readonly stdin: unknown;
  readonly stdout: unknown;
  readonly stderr: unknown;
};

type Stdio = number | "pipe" | "ignore";

type BunSpawn = (
  command: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly stdio: readonly [Stdio, Stdio, Stdio];
    readonly detached: true;
  },
) => BunChild;

function start(spawn: BunSpawn, request: SpawnRequest): Spawned {
  const child = spawn([request.command, ...request.args], {
    cwd: request.cwd,
    env: request.env,
    stdio: stdioOf(request),
    detached: true,
  });
  if (typeof request.stdin === "function") request.stdin(child.stdin);
  const readers = [reader(child.stdout, request.stdout), reader(child.stderr, request.stderr)];
  return {
    pid: child.pid,
    // `exited` is 128 + n after a signal; the two fields say which it was.
    exited: child.exited.then(() => ({ code: child.exitCode, signal: child.signalCode })),
    drained: Promise.all(readers.map((one) => one.drained)),
    release: () => {
      for (const one of readers) one.release();
    },
  };
}

/** What both runtimes are given for descriptors 0 to 2. */
function stdioOf({ stdin, stdout, stderr }: SpawnRequest): [Stdio, Stdio, Stdio] {
  const input = typeof stdin === "function" ? "pipe" : (stdin ?? "ignore");
  return [input, outputOf(stdout), outputOf(stderr)];
}

function outputOf(channel: Channel): Stdio {
  if (channel.kind === "null") return "ignore";
  return channel.kind === "fd" ? channel.fd : "pipe";
}

type Reader = { readonly drained: Promise<void>; readonly release: () => void };

function reader(stream: unknown, channel: Channel): Reader {
  if (channel.kind !== "pipe") return { drained: Promise.resolve(), release: () => {} };
  const source = (stream as ReadableStream<Uint8Array>).getReader();
  return {
    drained: pump(source, channel.sink),
    release: () => {
      source.cancel().catch(() => {});
    },
  };
}

async function pump(source: ReadableStreamDefaultReader<Uint8Array>, sink: Sink): Promise<void> {
  try {
    for (let next = await source.read(); !next.done; next = await source.read()) sink(next.value);
  } catch {
    // A broken or cancelled pipe ends what can be read.
  }
}

/** Loads node:child_process: not imported at the top because bun, which has its own spawn, would pay 6 ms for it. */
async function loadNodeSpawn(): Promise<SpawnFunction> {
  const { spawn } = await import("node:child_process");
  return async (request) => {
    const leaked = leakedDescriptors();
    if (leaked.length === 0)
      return started(spawn(request.command, request.args, optionsOf(request)), request);
    const nothing = openSync("/dev/null", "r+");
    try {
      const { stdio, ...others } = optionsOf(request);
      for (const fd of leaked) {
        while (stdio.length <= fd) stdio.push("ignore");
        stdio[fd] = nothing;
      }
      return await started(spawn(request.command, request.args, { ...others, stdio }), request);
    } finally {
      closeSync(nothing);
    }
  };
}

function optionsOf(request: SpawnRequest) {
  const stdio: Stdio[] = stdioOf(request);
  return { cwd: request.cwd, env: { ...request.env }, stdio, detached: true } as const;
}

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors of our caller that a child would inherit: a lock file (`flock 200`), or a way out of a sandbox.
 * Node.js closes those that it finds in a row, bun and other systems than Linux all of them.
 */
function leakedDescriptors(): readonly number[] {
  if (process.platform !== "linux" || !existsSync("/proc/self/fd")) return [];
  const open = readdirSync("/proc/self/fd").map(Number);
  return open.filter((fd) => fd > 2 && !isClosedOnExec(fd));
}

function isClosedOnExec(fd: number): boolean {
  try {
    const [, flags = "0"] = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    // The one that listed the folder.
    return true;
  }
}

async function started(child: ChildProcess, request: SpawnRequest): Promise<Spawned> {
  // Node throws some refusals and reports others (ENOENT, EACCES) by an event; without a pid there will be one.
  if (child.pid === undefined) return new Promise((_, reject) => child.once("error", reject));
  // A signal that cannot be sent is reported by the same event; we send ours ourselves.
  child.on("error", () => {});
  if (typeof request.stdin === "function") request.stdin(child.stdin);
  return {
    pid: child.pid,
    exited: exitOf(child),
    drained: Promise.all([drain(child.stdout, request.stdout), drain(child.stderr, request.stderr)]),
    release: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}

// `exit`, never `close`: a grandchild that holds a pipe must not delay the outcome.
function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

function drain(stream: NodeJS.ReadableStream | null, channel: Channel): Promise<void> {
  if (stream === null || channel.kind !== "pipe") return Promise.resolve();
  return new Promise((resolve) => {
    stream.on("data", channel.sink);
    stream.once("close", resolve);
    // A broken pipe ends what can be read; `close` follows.
    stream.once("error", () => {});
  });
}

/** The spawn of the runtime that we run on: bun's own takes 2 ms, its node:child_process 14. */
export async function loadSpawn(): Promise<SpawnFunction> {
  const { Bun } = globalThis as unknown as { readonly Bun?: { readonly spawn: BunSpawn } };
  return Bun === undefined ? loadNodeSpawn() : async (request) => start(Bun.spawn, request);
}
