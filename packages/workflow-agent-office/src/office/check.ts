import { ok, type Result } from "@uncaged/json-cas";
import { checkProgram, type ProgramReport } from "@uncaged/workflow-agent-kit";
import { parseOptions } from "./options.js";

const AGENT = "uwf-office";

type Surroundings = { readonly cwd: string; readonly path: string };

/** `uwf-office --check [options]`: looks up the program; runs nothing. A sentence if the options are wrong. */
export function check(args: readonly string[], around: Surroundings): Result<ProgramReport, string> {
  const options = parseOptions(args);
  if (!options.ok) return options;
  const { command } = options.value;
  return ok(checkProgram(AGENT, command === null ? null : command[0], around));
}
