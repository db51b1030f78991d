import { packageVersion } from "@uncaged/workflow-util";
import { endProcess, processHost } from "../host/index.js";
import { runPrompt } from "../print-prompt/index.js";

const host = processHost(process.argv.slice(2));

if (host.argv[0] === "--version") {
  host.out(`uwf-agent-prompt ${packageVersion(import.meta.dirname)}\n`);
} else {
  // No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
  void runPrompt(host).then(endProcess);
}
