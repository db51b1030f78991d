import { writeSync } from "node:fs";
import { createAgent, writeStderr } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { HELP, mockAgent } from "../play.js";

export function main(): void {
  let exitCode = 0;
  const stage = {
    cwd: process.cwd(),
    stdout: (text: string) => void writeSync(1, text),
    stderr: writeStderr,
    sleep,
    exitWith: (code: number) => {
      exitCode = code;
    },
  };
  const version = packageVersion(import.meta.dirname);
  void createAgent({ name: "uwf-mock", version, help: HELP, ...mockAgent(stage) })().then(() => {
    if (exitCode !== 0) process.exitCode = exitCode;
  });
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
