import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { injected, NOTHING, readCalls } from "../src/inject.js";
import { openWorld, putTurns, startThread, UWF } from "../src/world.js";

const folder = mkdtempSync(join(tmpdir(), "uwf-inject-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasStrace = spawnSync("strace", ["-V"]).status === 0;

/** Calls that are the same for node:fs and for the kernel. */
const SAME = ["fsync", "ftruncate", "link", "rename"];

describe("the calls that are counted", { timeout: 120_000 }, () => {
  it.runIf(hasStrace)("are those that the kernel sees", async () => {
    const world = openWorld(join(folder, "world"), "node");
    await putTurns(world);
    const thread = await startThread(world);
    const [log, trace] = [join(folder, "calls"), join(folder, "trace")];
    const env = injected(NOTHING, { log, plant: null });
    const line = ["thread", "step", thread, ...world.agent];
    const options = ["-o", trace, "-e", `trace=${SAME.join(",")}`];
    const ran = await world.uwf([...options, UWF, ...line], { program: "strace", env });
    expect(ran.code).toBe(0);
    const seen = readFileSync(trace, "utf8").split("\n");
    const counted = readCalls(log).filter(({ role }) => role === "uwf");
    for (const name of SAME) {
      const kernel = seen.filter((call) => call.startsWith(`${name}(`)).length;
      expect(counted.filter((call) => call.name === name).length, name).toBe(kernel);
    }
    expect(counted.filter(({ name }) => name === "fsync").length).toBeGreaterThanOrEqual(5);
  });
});
