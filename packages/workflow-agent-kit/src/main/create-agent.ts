import type { AgentDefinition } from "../author/index.js";
import { endProcess, processHost } from "../host/index.js";
import { runAgent } from "./run.js";

/**
 * The `main` of an agent's binary: `await createAgent({ name, run })()`. It takes `<thread-id> <role>` from the command
 * line, calls `run`, reads the structured output from the reply, stores the step and prints its hash. It sets the
 * process's exit code and never throws; the words are those of the process unless given.
 */
export function createAgent(definition: AgentDefinition): (argv?: readonly string[]) => Promise<void> {
  return async (argv = process.argv.slice(2)) => {
    endProcess(await runAgent(definition, processHost(argv)));
  };
}
