import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Kind } from "../frame.js";
import { RUNTIMES } from "../world.js";
import { contest } from "./contest.js";
import { holders } from "./holders.js";

const repository = resolve(import.meta.dirname, "../../../..");
const library = join(repository, "packages/json-cas-fs");

/** Stale locks of every origin: which of them are taken over, and that never two processes do it. */
export const locks: Kind = {
  name: "locks",
  title:
    "stale locks (holder killed, pid reused, machine restarted, content lost) broken by 2 to 50 processes at once, some of which die while they break; holders that cannot be judged, zombies, agents without uwf",
  sampleRounds: 30,
  weight: 3,
  goals: { rounds: 1000, "rounds of fifty": 150, "holders judged by uwf": 20 },
  run: async (session) => {
    const runtimes = session.level === "sample" ? [RUNTIMES[0]] : RUNTIMES;
    for (const runtime of runtimes) await holders(session, runtime);
    await contest({ session, library: builtLibrary() });
  },
};

/** The library as JavaScript, which is what plain processes can load. Built first; nothing to do when it is up to date. */
function builtLibrary(): string {
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  const built = spawnSync(process.execPath, [tsc, "--build", library], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(`${built.stdout}${built.stderr}`);
  return pathToFileURL(join(library, "dist/index.js")).href;
}
