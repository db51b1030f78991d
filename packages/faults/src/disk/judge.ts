import type { Tell } from "../aftermath/index.js";
import { shapeOf } from "../story/index.js";
import type { Ran, World } from "../world/index.js";
import type { Refusal } from "./faults.js";

/** `done`: as if nothing had happened. `refused`: an error, and the store is what it was, or completely changed. */
export type Verdict = "done" | "refused";

const NOT_STARTABLE = 4;
const IO = 74;

/** Looks at how a command took it that the system refused one of its calls. */
export async function judge(world: World, refusal: Refusal, ran: Ran, tell: Tell): Promise<Verdict> {
  const { stage, act } = refusal;
  const shape = await shapeOf(world, stage.threads);
  const said = `exit ${ran.code ?? ran.signal}, stdout ${JSON.stringify(ran.stdout)}, stderr ${JSON.stringify(ran.stderr)}`;
  if (stage.codes.includes(ran.code ?? -1)) {
    if (shape !== stage.shapes.after) tell("what succeeds is done", `${said}; now ${shape}`);
    return "done";
  }
  if (act === "short") tell("what was written in part is completed", said);
  if (!rightCodes(refusal).includes(ran.code ?? -1)) tell("a failing disk is exit 74", said);
  if (!isOneError(ran, refusal)) tell("a failing disk gives one clear error", said);
  if (ran.stdout !== "" && refusal.call.path !== "stdout") tell("stdout is empty on an error", said);
  if (shape !== stage.shapes.before && shape !== stage.shapes.after) {
    tell(
      "the store is unchanged or completely changed",
      `${said}; it was ${stage.shapes.before}, now ${shape}`,
    );
  }
  return "refused";
}

/** Whichever process meets it; an agent that the system does not start is told as such. */
function rightCodes({ call }: Refusal): readonly number[] {
  return call.name === "spawn" ? [NOT_STARTABLE, IO] : [IO];
}

/** The agent's own words come before. */
function isOneError({ stderr }: Ran, { role }: Refusal): boolean {
  const errors = stderr.match(/^error\[[A-Z_]+\]: \S.*$/gm) ?? [];
  const hints = stderr.match(/^hint: \S.*$/gm) ?? [];
  const limit = role === "agent" ? 2 : 1;
  return errors.length >= 1 && errors.length <= limit && hints.length >= 1 && hints.length <= limit;
}
