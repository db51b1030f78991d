import { randomUUID } from "node:crypto";
import { runProgramAgent } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { docxDiff } from "../agent.js";
import { check, HELP, USAGE } from "../agent-options.js";

export function main(): void {
  runProgramAgent({
    name: "uwf-docx-diff",
    version: packageVersion(import.meta.dirname),
    help: HELP,
    usage: USAGE,
    check,
    run: (context, port) => docxDiff(context, { ...port, newId: randomUUID }),
  });
}
