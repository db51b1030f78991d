import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { writeStderr } from "@uncaged/json-cas-fs";
import { endingSignals, packageVersion } from "@uncaged/workflow-util";
import { runCheck } from "../check/index.js";
import { printText, writeOutput } from "../host.js";

// Not from the kit, which is read at every run of every agent: the checks are a tenth of it and needed by this program alone.

export function main(): void {
  const argv = process.argv.slice(2);
  const controller = new AbortController();
  for (const signal of endingSignals(process.env)) {
    process.once(signal, () => controller.abort(signal));
  }
  const host = {
    abort: controller.signal,
    env: process.env,
    cwd: process.cwd(),
    temporary: tmpdir(),
    now: Date.now,
    newToken: randomUUID,
    out: writeOutput,
    err: writeStderr,
  };
  if (argv[0] === "--version") {
    process.exitCode = printText(`uwf-agent-check ${packageVersion(import.meta.dirname)}\n`, 0);
  } else {
    void runCheck(argv, host).then((code) => {
      process.exitCode = code;
    });
  }
}
