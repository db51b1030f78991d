import type { ChildProcess } from "node:child_process";

export type Ran = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** What a process said until it ended. Also used by the fault harness, which runs without vitest. */
export function ended(child: ChildProcess): Promise<Ran> {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout?.on("data", (chunk: Buffer) => chunks.stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.stderr.push(chunk));
  return new Promise((resolveRun, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      const text = (parts: Buffer[]): string => Buffer.concat(parts).toString("utf8");
      resolveRun({ code, signal, stdout: text(chunks.stdout), stderr: text(chunks.stderr) });
    });
  });
}
