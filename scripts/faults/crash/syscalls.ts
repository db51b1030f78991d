import { join } from "node:path";
import { canTrace, type Role, type Syscall, traced } from "../inject/index.js";
import type { Stage } from "../story/index.js";
import { copyWorld } from "../world/index.js";
import type { Point, Victim } from "./points.js";

/** The same places in processes of bun; none where there is no strace. Each stage is run once to count its calls. */
export async function syscallPointsOf(stages: readonly Stage[], folder: string): Promise<readonly Point[]> {
  if (!canTrace()) return [];
  const points: Point[] = [];
  for (const [index, stage] of stages.entries()) {
    for (const role of stage.roles.filter((each) => stage.calls.some((call) => call.role === each))) {
      const world = copyWorld(stage.before, join(folder, `${role}-${index}`), "node");
      await stage.meanwhile?.(world);
      const { calls, ran } = await traced(world, stage.line(world), { role, kill: null, both: false });
      if (calls.length === 0)
        throw new Error(`strace saw nothing of ${role} in ${stage.name}: ${ran.stderr}`);
      points.push(...calls.flatMap((call) => pointsAt(stage, role, call)));
    }
  }
  return points;
}

function pointsAt(stage: Stage, role: Role, call: Syscall): readonly Point[] {
  if (role === "uwf") return [pointAt(stage, role, call, "uwf")];
  return [pointAt(stage, role, call, "the agent"), pointAt(stage, role, call, "both")];
}

function pointAt(stage: Stage, role: Role, call: Syscall, victim: Victim): Point {
  const die: Point["die"] = async (world) => {
    await stage.meanwhile?.(world);
    const { ran, calls, killed } = await traced(world, stage.line(world), {
      role,
      kill: call,
      both: victim === "both",
    });
    const printed =
      role === "agent" && calls.some(({ text }) => /^write\(1<.*"[^"]{13}\\n", 14\) = 14$/.test(text));
    return { died: killed, printed, said: ran.stderr };
  };
  const name = `${stage.name}: ${victim} killed before ${call.name} ${call.n} on bun (${call.text.slice(0, 200)})`;
  return { stage, runtime: "bun", victim, figure: `kills of ${victim} on bun`, name, die };
}
