import { randomUUID } from "node:crypto";
import { runProgramAgent } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { check, HELP, office, USAGE } from "../office/index.js";

export function main(): void {
  runProgramAgent({
    name: "uwf-office",
    version: packageVersion(import.meta.dirname),
    help: HELP,
    usage: USAGE,
    check,
    run: (context, port) => office(context, { ...port, newId: randomUUID }),
  });
}
