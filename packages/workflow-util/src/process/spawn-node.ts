import type { ChildProcess, StdioOptions } from "node:child_process";
import type { Channel, Exit, Spawned, SpawnFunction, SpawnRequest } from "./types.js";

/** Loads node:child_process: not imported at the top because bun, which has a spawn of its own, would pay 6 ms for it. */
export async function loadNodeSpawn(): Promise<SpawnFunction> {
  const { spawn } = await import("node:child_process");
  return async (request) => started(spawn(request.command, request.args, optionsOf(request)), request);
}

function optionsOf(request: SpawnRequest) {
  const stdin = typeof request.stdin === "function" ? "pipe" : (request.stdin ?? "ignore");
  const stdio: StdioOptions = [stdin, stdioOf(request.stdout), stdioOf(request.stderr)];
  return { cwd: request.cwd, env: { ...request.env }, stdio, detached: true } as const;
}

function stdioOf(channel: Channel): number | "pipe" | "ignore" {
  if (channel.kind === "null") return "ignore";
  return channel.kind === "fd" ? channel.fd : "pipe";
}

async function started(child: ChildProcess, request: SpawnRequest): Promise<Spawned> {
  // Node throws some refusals and tells others (ENOENT, EACCES) by an event; without a pid there will be one.
  if (child.pid === undefined) return new Promise((_, reject) => child.once("error", reject));
  // A signal that cannot be sent is told by the same event; we send ours ourselves.
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
