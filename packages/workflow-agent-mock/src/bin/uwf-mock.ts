import { writeSync } from "node:fs";
import { createAgent } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { mockAgent } from "../play/index.js";

let exitCode = 0;

const stage = {
  cwd: process.cwd(),
  stdout: (text: string) => void writeSync(1, text),
  stderr: (text: string) => void writeSync(2, text),
  sleep,
  exitWith: (code: number) => {
    exitCode = code;
  },
};

// No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
void createAgent({
  name: "uwf-mock",
  version: packageVersion(import.meta.dirname),
  ...mockAgent(stage),
})().then(() => {
  if (exitCode !== 0) process.exitCode = exitCode;
});

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
