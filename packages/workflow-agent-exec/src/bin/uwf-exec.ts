import { tmpdir } from "node:os";
import { runProgramAgent } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { exec } from "../agent.js";
import { check, HELP, USAGE } from "../words.js";

export function main(): void {
  runProgramAgent({
    name: "uwf-exec",
    version: packageVersion(import.meta.dirname),
    help: HELP,
    usage: USAGE,
    check,
    run: (context, port) => exec(context, { ...port, temporary: tmpdir() }),
  });
}
