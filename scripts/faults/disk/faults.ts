import { type Act, type Call, ERRNOS, type Target } from "../inject/index.js";
import type { Stage } from "../story/index.js";

/** One call that the system refuses, or takes only a part of. */
export type Refusal = { readonly stage: Stage; readonly target: Target; readonly call: Call };

/**
 * Every call that changes something, with everything that can be wrong with it: first every call with one of them,
 * then every call with the next.
 */
export function refusalsOf(stages: readonly Stage[]): readonly (readonly Refusal[])[] {
  const alone = stages.filter(({ meanwhile }) => meanwhile === null);
  const calls = alone.flatMap((stage) => stage.calls.filter(isRefusable).map((call) => ({ stage, call })));
  return Array.from({ length: ERRNOS.length + 1 }, (_, round) =>
    calls.flatMap(({ stage, call }, index) => {
      const acts = actsOn(call);
      const act = acts[(index + round) % acts.length];
      const target = { role: call.role, n: call.n };
      return act === undefined || round >= acts.length ? [] : [{ stage, call, target: { ...target, act } }];
    }),
  );
}

/** Everything that can be wrong with a call. */
export const ACTS: readonly Act[] = ["short", ...ERRNOS];

function isRefusable({ name }: Call): boolean {
  return name !== "kill" && name !== "exit";
}

function actsOn({ name }: Call): readonly Act[] {
  if (name === "spawn") return ["EMFILE", "EACCES"];
  return name === "write" ? ACTS : ERRNOS;
}

/** A refusal in words: enough to repeat it. */
export function nameOf({ stage, target, call }: Refusal): string {
  const path = call.path.replace(stage.root, "").replace(/^\//, "");
  return `${stage.name}: ${target.act} for call ${call.n} of ${target.role} (${call.name} ${path})`;
}
