import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../story/index.js";
import type { World } from "../world/index.js";
import type { Point } from "./points.js";

// Between uwf and its agent stands a shell for a moment: it creates `pid`, writes itself into it and becomes the agent.
// Nothing can be loaded into it, so what its death can leave is made by hand, in a run whose uwf is dead too.

const STATES: readonly (readonly [string, (run: string) => void])[] = [
  ["before it created pid", (run) => rmSync(join(run, "pid"))],
  ["before it wrote pid", (run) => writeFileSync(join(run, "pid"), "")],
  ["after it wrote pid", () => {}],
  ["after the system refused the agent", (run) => writeFileSync(join(run, "pid"), `${GONE}not started\n`)],
  ["after somebody barred the run", (run) => writeFileSync(join(run, "pid"), "barred\n")],
  ["in the middle of the agent's result", (run) => writeFileSync(join(run, "stdout"), "0123456789")],
];

/** A process that is no more: the number is above what the kernel gives. */
const GONE = `4999999 (sh) S 1 4999999 4999999${" 0".repeat(15)} 1${" 0".repeat(30)}\n`;

const STAGE = "a step after an abandoned run";

/** Every state that the death of the shell can leave. */
export function startsOfAgents(stages: readonly Stage[]): readonly Point[] {
  return stages
    .filter(({ name }) => name === STAGE)
    .flatMap((stage) => STATES.map((state) => pointOf(stage, state)));
}

function pointOf(stage: Stage, [when, leave]: (typeof STATES)[number]): Point {
  const die: Point["die"] = async (world) => {
    for (const run of runsOf(world)) leave(run);
    return { died: true, printed: false, stdout: "", stderr: "" };
  };
  const name = `${stage.name}: the shell that starts the agent died ${when}`;
  return {
    stage,
    victim: "both",
    figure: "states that the start of an agent can leave",
    name,
    die,
  };
}

function runsOf({ root }: World): readonly string[] {
  const runs = join(root, "runs");
  return readdirSync(runs).flatMap((thread) =>
    readdirSync(join(runs, thread))
      .filter((name) => name !== "cwd.json")
      .map((token) => join(runs, thread, token)),
  );
}
