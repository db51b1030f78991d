import { spawnSync } from "node:child_process";
import { availableParallelism, release, type } from "node:os";
import { RUNTIMES } from "../world/index.js";

/** Cores and kernel; no names. */
export function machine(): string {
  return `${availableParallelism()} cores, ${type()} ${release().split("-")[0]}`;
}

/** The runtimes that the binaries ran on, with versions. */
export function runtimes(): readonly string[] {
  return RUNTIMES.map((runtime) => {
    const version = spawnSync(runtime, ["--version"], { encoding: "utf8" }).stdout.trim();
    return runtime === "bun" ? `bun ${version}` : `Node.js ${version.replace(/^v/, "")}`;
  });
}
