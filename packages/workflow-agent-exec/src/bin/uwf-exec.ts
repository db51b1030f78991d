import { writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { createAgent } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { exec } from "../agent.js";
import { check, isCheck } from "../check.js";
import { HELP } from "../words.js";

export function main(): void {
  const argv = process.argv.slice(2);
  const port = {
    cwd: process.cwd(),
    temporary: tmpdir(),
    stderr,
  };
  if (argv[0] === "--help" || argv[0] === "-h") {
    writeSync(1, HELP);
  } else if (isCheck(argv)) {
    process.exitCode = checkMain(argv);
  } else {
    void createAgent({
      name: "uwf-exec",
      version: packageVersion(import.meta.dirname),
      dotEnv: "listed",
      run: (context) => exec(context, port),
    })();
  }
}

function stderr(line: string): void {
  writeSync(2, `${line}\n`);
}

/** Prints the report; exits with 0 if the command can be started, else with uwf's code for usage or a failed agent. */
function checkMain(argv: readonly string[]): number {
  const checked = check(argv, { cwd: process.cwd(), path: process.env.PATH ?? "" });
  if (!checked.ok) {
    stderr(`error[USAGE]: ${checked.reason}`);
    return 2;
  }
  writeSync(1, `${JSON.stringify(checked.report, null, 2)}\n`);
  return checked.report.installed ? 0 : 6;
}
