import { packageVersion } from "@uncaged/workflow-util";
import { gemini } from "../adapters/index.js";
import { cliAgentMain } from "../main/index.js";

// No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
void cliAgentMain(gemini, packageVersion(import.meta.dirname), process.argv.slice(2));
