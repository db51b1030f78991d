import { rmSync } from "node:fs";
import { join } from "node:path";
import { injected, NOTHING, quiet, readCalls } from "../inject/index.js";
import { copyWorld } from "../world/index.js";
import { shapeOf } from "./shape.js";
import type { Stage, Teller } from "./types.js";

/** Tells scenes on Node.js, where preload.mjs sees all calls, and keeps the worlds before them in `folder`. */
export function tellerIn(folder: string, plant: string | null): Teller {
  const stages: Stage[] = [];
  const stageOf = (name: string): Stage => {
    const stage = stages.find((each) => each.name === name);
    if (stage === undefined) throw new Error(`there is no stage ${name}`);
    return stage;
  };
  const tell: Teller["tell"] = async (world, scene) => {
    const before = copyWorld(world, join(folder, `before-${stages.length}`), "node");
    const log = join(folder, "calls");
    rmSync(log, { force: true });
    await scene.meanwhile?.(world);
    const ran = await world.uwf(scene.line(world), { env: injected(NOTHING, { log, plant }) });
    await quiet(world);
    const calls = readCalls(log);
    if (!scene.codes.includes(ran.code ?? -1) || calls.length === 0) {
      throw new Error(`${scene.name} ended with ${ran.code}, after ${calls.length} calls: ${ran.stderr}`);
    }
    const shapes = {
      before: await shapeOf(before, scene.threads),
      after: await shapeOf(world, scene.threads),
    };
    stages.push({ ...scene, before, calls, root: world.root, shapes });
    return ran;
  };
  const strike: Teller["strike"] = async (world, { line }, target) => {
    await world.uwf(line(world), { env: injected(target, { log: null, plant }) });
    await quiet(world);
  };
  const copyOf: Teller["copyOf"] = (name) =>
    copyWorld(stageOf(name).before, join(folder, `copy-${stages.length}`), "node");
  const callOf: Teller["callOf"] = (name, fits) => {
    const call = stageOf(name).calls.find(fits);
    if (call === undefined) throw new Error(`${name} makes no such call`);
    return call;
  };
  return { tell, strike, copyOf, callOf, stages };
}
