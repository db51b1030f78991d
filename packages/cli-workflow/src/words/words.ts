import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { split } from "shlex";

/** A command line as program and arguments, split as a shell would and never run by one. */
export function splitWords(text: string): Result<readonly [string, ...string[]], Fault> {
  try {
    const [program, ...args] = split(text);
    if (program === undefined || program === "") return refuse(text, "it is empty");
    return ok([program, ...args]);
  } catch (error) {
    return refuse(text, (error as Error).message);
  }
}

function refuse(text: string, reason: string): Result<never, Fault> {
  return err(fault("MALFORMED_AGENT_COMMAND", { text, reason }));
}
