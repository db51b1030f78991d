import { parse, step, threadFailure } from "@uncaged/workflow-engine";
import { type Host, processHost } from "./io.js";
import { OWN_BIN } from "./line/index.js";
import { errorFormatOf } from "./render.js";
import { contextOf, FOR_PROGRAM, fail, failThrown, print } from "./session.js";
import type { StepLine } from "./step-line.js";

/** `main` for a plain `thread step` line: the same step without the command line parser. Gives the exit code. */
export async function mainStep(
  line: StepLine,
  argv: readonly string[],
  host: Host = processHost(OWN_BIN),
): Promise<number> {
  const known = errorFormatOf(argv, host.env);
  if (!known.ok) return fail(known.error, host, "text");
  const errorFormat = known.value;
  try {
    const { thread, agent, format, expect, waitMs } = line;
    const printing = { ...FOR_PROGRAM, format };
    const context = contextOf(host, errorFormat, printing);
    const request = parse(
      {
        thread,
        agents: agent === null ? [] : [agent],
        cwd: null,
        expect,
        waitMs,
        retries: null,
        until: null,
      },
      host,
    );
    if (!request.ok) return fail(request.error, host, errorFormat);
    const storage = context.openStorage();
    if (!storage.ok) return fail(storage.error, host, errorFormat);
    const output = await step({ ...context, storage: storage.value, watch: null }, request.value);
    if (!output.ok) return fail(output.error, host, errorFormat);
    await print(host, { kind: "document", value: output.value, human: null }, printing);
    const failure = threadFailure(output.value);
    return failure === null ? 0 : fail(failure, host, errorFormat);
  } catch (error) {
    return failThrown(error, host, errorFormat);
  }
}
