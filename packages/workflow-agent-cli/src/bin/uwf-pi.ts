import { packageVersion } from "@uncaged/workflow-util";
import { pi } from "../adapters/index.js";
import { cliAgentMain } from "../main/index.js";

// No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
void cliAgentMain(pi, packageVersion(import.meta.dirname), process.argv.slice(2));
