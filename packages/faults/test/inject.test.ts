import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Call, checkOrder, injected, NOTHING, readCalls } from "../src/inject/index.js";
import { openWorld, putTurns, startThread, UWF } from "../src/world.js";

const ROOT = "/root";

/** Calls of uwf, as `name path [to]`; a `+` in front: the name is new. */
function calls(...lines: readonly string[]): readonly Call[] {
  return lines.map((line, index) => {
    const created = line.startsWith("+");
    const [name = "", path = "", to = null] = line.replace("+", "").split(" ");
    const at = (each: string): string => each.replace(/^~/, ROOT);
    const call = { pid: 1, role: "uwf", n: index + 1, name, created, data: null, outcome: "done" } as const;
    return { ...call, path: at(path), to: to === null ? null : at(to) };
  });
}

function disorders(...lines: readonly string[]): readonly string[] {
  return checkOrder(ROOT, calls(...lines)).disorders.map(({ call, reason }) => `${call.name}: ${reason}`);
}

const TEMPORARY = ["+open ~/cas/A.bin.x.tmp wx", "write ~/cas/A.bin.x.tmp"];
const SYNCED = [...TEMPORARY, "fsync ~/cas/A.bin.x.tmp"];
const LINKED = [...SYNCED, "+link ~/cas/A.bin.x.tmp ~/cas/A.bin"];

describe("the order of fsyncs", () => {
  it("is right if the file, then its name, then its folder are synced before the output", () => {
    expect(disorders(...LINKED, "unlink ~/cas/A.bin.x.tmp", "fsync ~/cas", "write stdout", "exit 0")).toEqual(
      [],
    );
  });

  it.each([
    ["a name for bytes that are not synced", [...TEMPORARY, "+link ~/cas/A.bin.x.tmp ~/cas/A.bin"]],
    [
      "bytes that came after the sync",
      [...SYNCED, "write ~/cas/A.bin.x.tmp", "+rename ~/cas/A.bin.x.tmp ~/threads.yaml"],
    ],
    ["a hash that is printed before its name is durable", [...LINKED, "write stdout"]],
    [
      "a head that moves before its node is durable",
      [...LINKED, "+rename ~/threads.yaml.x.tmp ~/threads.yaml"],
    ],
    ["an agent that is started before its run is durable", ["+mkdir ~/runs/T", "spawn /bin/sh"]],
    [
      "a line that is not durable when the next file changes",
      ["write ~/history.jsonl", "+rename ~/t.tmp ~/threads.yaml"],
    ],
    [
      "an ending that goes before the history is durable",
      ["write ~/history.jsonl", "unlink ~/runs/T/ending"],
    ],
    ["an end before everything is durable", [...LINKED, "exit 0"]],
    [
      "a run whose files have no durable names",
      ["+mkdir ~/runs/T/.new-a", "+open ~/runs/T/.new-a/stdout wx", "+rename ~/runs/T/.new-a ~/runs/T/a"],
    ],
  ] as const)("is wrong with %s", (_what, lines) => {
    expect(disorders(...lines)).not.toEqual([]);
  });

  it("does not apply to locks, logs and temporary files", () => {
    const lock = ["+open ~/locks/a.tmp wx", "write ~/locks/a.tmp", "+link ~/locks/a.tmp ~/locks/index.lock"];
    expect(disorders(...lock, "write ~/logs/2026-01-01.jsonl", "write stdout", "exit 0")).toEqual([]);
  });

  it("ignores a call that failed", () => {
    const [refused] = calls("+link ~/cas/A.bin.x.tmp ~/cas/A.bin");
    const log = [...calls(...TEMPORARY), { ...refused, outcome: "ENOSPC" } as Call];
    expect(checkOrder(ROOT, log).disorders).toEqual([]);
  });
});

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
