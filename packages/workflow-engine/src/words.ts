import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { split } from "shlex";

/** What most are: one word, plain or in single quotes. A reader that knows all of a shell's quoting takes 0.2 ms. */
const ONE_WORD = /^(?:([\w./:@%+=,-]+)|'([^']+)')$/;

/** A command line as program and arguments, split as a shell would and never run by one. */
export function splitWords(text: string): Result<readonly [string, ...string[]], Fault> {
  const [, plain, quoted] = ONE_WORD.exec(text) ?? [];
  const word = plain ?? quoted;
  if (word !== undefined) return ok([word]);
  const shell = shellSyntax(text);
  if (shell !== null) return refuse(text, shell);
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

/** What only a shell would carry out, outside of quotes: as an argument of the program it would do something else, or nothing. */
function shellSyntax(text: string): string | null {
  const bare = text.replace(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, "_");
  const [, operator] = /(?:^|\s)(&&|\|\|?|&|;|\d?>>?(?:&\d)?|<{1,2})(?=\s|$)/.exec(bare) ?? [];
  const found = operator ?? /(?:^|\s)(\d?>>?&?[\w./-]+)/.exec(bare)?.[1] ?? /;(?=\s|$)/.exec(bare)?.[0];
  return found === undefined
    ? null
    : `no shell runs it, which ${found} needs; write a script, or: sh -c '<line> "$@"' sh`;
}
