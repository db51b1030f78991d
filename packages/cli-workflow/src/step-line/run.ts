import { threadStep } from "../commands/thread/step.js";
import type { Host } from "../io/index.js";
import { errorFormatOf } from "../render/index.js";
import { contextOf, fail, failThrown, print } from "../session/index.js";
import type { StepLine } from "./types.js";

/** Runs the step of such a line and gives the exit code. */
export async function runStepLine(line: StepLine, argv: readonly string[], host: Host): Promise<number> {
  const errorFormat = errorFormatOf(argv, host.env);
  try {
    const { thread, agent, format } = line;
    const result = await threadStep(contextOf(host, format), { thread, agent, waitMs: 0 });
    if (!result.ok) return fail(result.error, host, errorFormat);
    await print(host, result.value, format);
    return 0;
  } catch (error) {
    return failThrown(error, host, errorFormat);
  }
}
