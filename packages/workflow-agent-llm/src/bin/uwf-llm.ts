import { packageVersion } from "@uncaged/workflow-util";
import { llmMain } from "../main/index.js";

// No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
void llmMain("llm", packageVersion(import.meta.dirname), process.argv.slice(2));
