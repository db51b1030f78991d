import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { packageVersion } from "@uncaged/workflow-util";
import { runCheck } from "../check/index.js";

// Not from the kit, which is read at every run of every agent: the checks are a tenth of it and needed by this program alone.

export function main(): void {
  const argv = process.argv.slice(2);
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.once(signal, () => controller.abort(signal));
  }
  const host = {
    abort: controller.signal,
    env: process.env,
    cwd: process.cwd(),
    temporary: tmpdir(),
    now: Date.now,
    newToken: randomUUID,
    out: (text: string) => void writeSync(1, text),
    err: (text: string) => void writeSync(2, text),
  };
  if (argv[0] === "--version") {
    host.out(`uwf-agent-check ${packageVersion(import.meta.dirname)}\n`);
  } else {
    void runCheck(argv, host).then((code) => {
      process.exitCode = code;
    });
  }
}
