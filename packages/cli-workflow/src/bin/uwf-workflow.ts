import { createAgent } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { HELP, OWN_UWF, playWorkflow, uwfAt } from "../children/index.js";

export function main(): void {
  void createAgent({
    name: "uwf-workflow",
    version: packageVersion(import.meta.dirname),
    help: HELP,
    dotEnv: "listed",
    run: (context) => playWorkflow(context, uwfAt(OWN_UWF, process.env), Date.now),
  })();
}
