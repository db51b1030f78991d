import { type Syscall, traced } from "../inject/index.js";
import type { StageOnBun } from "../story/index.js";
import type { Point, Victim } from "./points.js";

/** The same places in processes of bun, before each call to the kernel that changes something. */
export function syscallPointsOf(stages: readonly StageOnBun[]): readonly Point[] {
  return stages.flatMap((on) =>
    on.calls.flatMap((call) => victimsOf(on).map((victim) => syscallPoint(on, call, victim))),
  );
}

function victimsOf({ role }: StageOnBun): readonly Victim[] {
  return role === "uwf" ? ["uwf"] : ["the agent", "both"];
}

function syscallPoint({ stage, role }: StageOnBun, call: Syscall, victim: Victim): Point {
  const die: Point["die"] = async (world) => {
    await stage.meanwhile?.(world);
    const trace = { role, injection: { call, effect: "signal=KILL" }, both: victim === "both" } as const;
    const { ran, calls, killed } = await traced(world, stage.line(world), trace);
    const printed =
      role === "agent" && calls.some(({ text }) => /^write\(1<.*"[^"]{13}\\n", 14\) = 14$/.test(text));
    return { died: killed, printed, stdout: ran.stdout, stderr: ran.stderr };
  };
  const name = `${stage.name}: ${victim} killed before ${call.name} ${call.n} on bun (${call.text.slice(0, 200)})`;
  return { stage, victim, figure: `kills of ${victim} on bun`, name, die };
}
