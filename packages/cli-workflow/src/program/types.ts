import type { AnswerCode } from "@uncaged/cli-json-cas";
import type { JsonValue } from "@uncaged/json-cas";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import type { CommandContext, CommandHandler, CommandOutput } from "../commands/index.js";

/** What the command line needs from the program around it. */
export type ProgramParts = {
  readonly context: () => CommandContext;
  /** Takes the result of a command. */
  readonly finish: (result: Result<CommandOutput, Fault>) => Promise<void>;
  /** Takes the document of a command of the cas group, and the exit code that is part of its answer. */
  readonly answer: (document: JsonValue, exitCode: AnswerCode) => Promise<void>;
  /** Where help goes. */
  readonly writeOut: (text: string) => void;
};

/** Runs the handler of a command; the handler's module is loaded by `load` only now. */
export type Invoke = <Request>(
  load: () => Promise<CommandHandler<Request>>,
  request: Request,
) => Promise<void>;
