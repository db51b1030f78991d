import { writeSync } from "node:fs";
import { createAgent } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { HELP, OWN_UWF, playWorkflow, uwfAt } from "../children/index.js";

export function main(): void {
  const argv = process.argv.slice(2);
  if (argv[0] === "--help" || argv[0] === "-h") {
    writeSync(1, HELP);
    return;
  }
  void createAgent({
    name: "uwf-workflow",
    version: packageVersion(import.meta.dirname),
    dotEnv: "listed",
    run: (context) => playWorkflow(context, uwfAt(OWN_UWF, process.env), Date.now),
  })();
}
