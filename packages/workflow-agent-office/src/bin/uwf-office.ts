import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { createAgent } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { check, HELP, office, USAGE } from "../office/index.js";

export function main(): void {
  const argv = process.argv.slice(2);
  if (argv[0] === "--help" || argv[0] === "-h") {
    writeSync(1, HELP);
  } else if (argv[0] === "--check") {
    process.exitCode = checkMain(argv.slice(1));
  } else {
    const port = { cwd: process.cwd(), newId: randomUUID, stderr };
    void createAgent({
      name: "uwf-office",
      version: packageVersion(import.meta.dirname),
      dotEnv: "listed",
      run: (context) => office(context, port),
    })();
  }
}

function stderr(lines: string): void {
  writeSync(2, `${lines}\n`);
}

/** Prints the report; exits with 0 if the program can be started, else with uwf's code for usage or a failed agent. */
function checkMain(args: readonly string[]): number {
  const checked = check(args, { cwd: process.cwd(), path: process.env.PATH ?? "" });
  if (!checked.ok) {
    stderr(`error[USAGE]: ${checked.error}\nhint: ${USAGE}`);
    return 2;
  }
  writeSync(1, `${JSON.stringify(checked.value, null, 2)}\n`);
  return checked.value.installed ? 0 : 6;
}
