import { createAgent } from "@uncaged/workflow-agent-kit";
import { HELP, playWorkflow, uwfAt } from "@uncaged/workflow-engine";
import { packageVersion } from "@uncaged/workflow-util";
import { OWN_UWF } from "../line/index.js";

export function main(): void {
  void createAgent({
    name: "uwf-workflow",
    version: packageVersion(import.meta.dirname),
    help: HELP,
    dotEnv: "listed",
    run: (context) => playWorkflow(context, uwfAt(OWN_UWF, process.env), Date.now),
  })();
}
