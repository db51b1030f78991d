import { homedir } from "node:os";
import { writeStderr, writeStdout } from "@uncaged/json-cas-fs";
import { endingSignals } from "@uncaged/workflow-util";
import type { Host } from "./host.js";

/** Runs office-agent or uwf-agent-docx on the real process. `tool` gives the exit code. */
export function start(version: string, tool: (argv: readonly string[], host: Host) => Promise<number>): void {
  const controller = new AbortController();
  for (const signal of endingSignals(process.env)) {
    process.once(signal, () => controller.abort(signal));
  }
  // A program that just stops has not done its work.
  process.exitCode = 1;
  const host = {
    env: process.env,
    cwd: process.cwd(),
    home: process.env.HOME || homedir(),
    version,
    out: (text: string) => void writeStdout(Buffer.from(text)),
    err: writeStderr,
    signal: controller.signal,
  };
  void tool(process.argv.slice(2), host).then((code) => {
    process.exitCode = code;
  });
}
