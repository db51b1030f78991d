import type { Channel, Sink, Spawned, SpawnFunction, SpawnRequest } from "./types.js";

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

type BunStdio = number | "pipe" | "ignore";

type BunSpawn = (
  command: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly stdio: readonly [BunStdio, BunStdio, BunStdio];
    readonly detached: true;
  },
) => BunChild;

/** Bun's own spawn, where this program runs on bun: 2 ms instead of 14 for node:child_process. */
export function bunSpawn(): SpawnFunction | null {
  const { Bun } = globalThis as unknown as { readonly Bun?: { readonly spawn: BunSpawn } };
  return Bun === undefined ? null : async (request) => start(Bun.spawn, request);
}

function start(spawn: BunSpawn, request: SpawnRequest): Spawned {
  const child = spawn([request.command, ...request.args], {
    cwd: request.cwd,
    env: request.env,
    stdio: [stdinOf(request.stdin), stdioOf(request.stdout), stdioOf(request.stderr)],
    detached: true,
  });
  if (typeof request.stdin === "function") request.stdin(child.stdin);
  const readers = [reader(child.stdout, request.stdout), reader(child.stderr, request.stderr)];
  return {
    pid: child.pid,
    // `exited` gives 128 + n after a signal; the two fields tell which it was.
    exited: child.exited.then(() => ({ code: child.exitCode, signal: child.signalCode })),
    drained: Promise.all(readers.map((one) => one.drained)),
    release: () => {
      for (const one of readers) one.release();
    },
  };
}

function stdinOf(stdin: SpawnRequest["stdin"]): BunStdio {
  return typeof stdin === "function" ? "pipe" : (stdin ?? "ignore");
}

function stdioOf(channel: Channel): BunStdio {
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
