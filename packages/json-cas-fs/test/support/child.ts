import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEachTest } from "./ends.js";

const running = new Set<ChildProcess>();

afterEachTest(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

export type RunningChild = {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The next whole line of its stdout. */
  readonly nextLine: () => Promise<string>;
  readonly write: (line: string) => void;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
};

/** Starts a module of plain JavaScript as a process of its own; it is killed at the end of the test. */
export function startModule(
  dir: string,
  name: string,
  source: string,
  args: readonly string[],
): RunningChild {
  const file = join(dir, `${name}.mjs`);
  // Once: a child that is just starting must not find the file cut short by the next one's start.
  if (!existsSync(file)) writeFileSync(file, source);
  const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  running.add(child);
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  let rest = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk.toString("utf8")).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      const next = waiting.shift();
      if (next === undefined) lines.push(line);
      else next(line);
    }
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on("exit", (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  const nextLine = () =>
    new Promise<string>((resolve) => {
      const line = lines.shift();
      if (line === undefined) waiting.push(resolve);
      else resolve(line);
    });
  return { pid: child.pid ?? -1, child, nextLine, write: (line) => child.stdin.write(`${line}\n`), exited };
}
