import { type Call, injected, quiet, readCalls, type Target } from "../inject/index.js";
import type { Stage } from "../story/index.js";
import type { World } from "../world/index.js";

export type Victim = "uwf" | "the agent" | "both" | "the evaluator";

/** What came of an attempt to kill. */
export type Death = {
  readonly died: boolean;
  /** The agent had written its result before it died. */
  readonly printed: boolean;
  readonly stdout: string;
  readonly stderr: string;
};

/** One place to die at. */
export type Point = {
  readonly stage: Stage;
  readonly victim: Victim;
  /** What it counts as in the report. */
  readonly figure: string;
  /** In words: enough to repeat it. */
  readonly name: string;
  /** Runs the stage's command in the world before it, kills, and waits until nobody is left. */
  readonly die: (world: World) => Promise<Death>;
};

export type Surroundings = { readonly log: (world: World) => string; readonly plant: string | null };

/**
 * Every place at which a process of Node.js can die and leave something else than the place before: before each call
 * that changes something, and after the last one; for an agent's calls once alone and once together with its uwf. A
 * death before a call that only looks leaves what a death before the next change leaves.
 */
export function pointsOf(stages: readonly Stage[], surroundings: Surroundings): readonly Point[] {
  return stages.flatMap((stage) =>
    stage.calls
      .filter(({ name, role }) => name !== "exit" && stage.roles.includes(role))
      .flatMap((call) => targetsAt(stage, call).map((target) => pointAt(stage, call, target, surroundings))),
  );
}

function targetsAt({ calls }: Stage, { role, n, name, to }: Call): readonly Target[] {
  const at = (act: Target["act"]): Target => ({ role, n, act });
  const isLast = !calls.some((other) => other.name !== "exit" && other.role === role && other.n === n + 1);
  // A process that is started lives on its own: right after that call is a place of its own too.
  const after = isLast || name === "spawn" ? [at("kill-after")] : [];
  const child = name === "spawn" && EVALUATOR.test(to ?? "") ? [at("kill-child")] : [];
  return role === "agent"
    ? [at("kill-before"), at("kill-both"), ...after]
    : [at("kill-before"), ...after, ...child];
}

/** How uwf starts the process in which conditions are evaluated. */
const EVALUATOR = /evaluator\)?\.serve\(\)/;

function victimOf({ act, role }: Target): Victim {
  if (act === "kill-child") return "the evaluator";
  if (act === "kill-both") return "both";
  return role === "agent" ? "the agent" : "uwf";
}

function pointAt(stage: Stage, call: Call, target: Target, { log, plant }: Surroundings): Point {
  const victim = victimOf(target);
  const when = target.act === "kill-before" || target.act === "kill-both" ? "before" : "after";
  const path = call.path.replace(stage.root, "").replace(/^\//, "");
  const die: Point["die"] = async (world) => {
    await stage.meanwhile?.(world);
    const env = injected(target, { log: log(world), plant });
    const { stdout, stderr } = await world.uwf(stage.line(world), { env });
    await quiet(world);
    const calls = readCalls(log(world));
    const died = calls.some(({ outcome }) => outcome === "killed");
    return { died, printed: calls.some(isResult), stdout, stderr };
  };
  const name = `${stage.name}: ${victim} killed ${when} call ${call.n} (${call.name} ${path}) on Node.js`;
  return { stage, victim, figure: `kills of ${victim} on Node.js`, name, die };
}

function isResult({ role, name, path, outcome }: Call): boolean {
  return role === "agent" && name === "write" && path === "stdout" && outcome === "done";
}
