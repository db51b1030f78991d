import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { split } from "shlex";

/** What most are: one word, plain or in single quotes. A reader that knows all of a shell's quoting takes 0.2 ms. */
const ONE_WORD = /^(?:([\w./:@%+=,-]+)|'([^']+)')$/;

/** A command line as program and arguments, split as a shell would and never run by one. */
export function splitWords(text: string): Result<readonly [string, ...string[]], Fault> {
  const [, plain, quoted] = ONE_WORD.exec(text) ?? [];
  const word = plain ?? quoted;
  if (word !== undefined) return ok([word]);
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
