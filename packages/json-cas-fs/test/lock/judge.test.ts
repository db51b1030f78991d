import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  describeHolder,
  explainHolder,
  isProvedAlive,
  judgeHolder,
  type LockRecord,
  machineId,
  ownRecord,
  processStartTime,
  processState,
} from "../../src/index.js";
import { startModule } from "../support/child.js";
import { temporaryDir } from "../support/temp.js";

const onLinux = it.skipIf(process.platform !== "linux");

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("the condition did not come true");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("explainHolder", () => {
  it("gives the reason with the judgement", () => {
    expect(explainHolder(ownRecord(0))).toMatchObject({ judgement: "alive", because: expect.any(String) });
    expect(explainHolder({ ...ownRecord(0), host: "another-host" })).toEqual({
      judgement: "unknown",
      because: expect.stringContaining("on another host than this"),
    });
    const unreadable = { ...ownRecord(0), pid: 0, acquiredAt: Date.now() + 1e9 };
    expect(explainHolder(unreadable)).toEqual({
      judgement: "unknown",
      because: "its record cannot be read",
    });
  });

  onLinux("says whether a dead holder's process is gone or its host was restarted", () => {
    expect(explainHolder({ ...ownRecord(0), startTime: "1" }).because).toBe(
      "no living process has its pid and start time",
    );
    expect(explainHolder({ ...ownRecord(0), bootId: "x", machineId: machineId() }).because).toBe(
      machineId() === null
        ? "it is from another boot, and whether it was on this machine is unknown"
        : "this machine has been restarted since",
    );
  });
});

describe("judgeHolder", () => {
  it("calls this process alive", () => {
    expect(judgeHolder(ownRecord(0))).toBe("alive");
  });

  it("calls a process that is gone dead", async () => {
    const child = startModule(temporaryDir(), "gone", "process.exit(0)", []);
    const startTime = processStartTime(child.pid);
    await child.exited;
    expect(judgeHolder({ ...ownRecord(0), pid: child.pid, startTime })).toBe("dead");
  });

  onLinux("calls a reused pid dead: the start time is another one", () => {
    expect(judgeHolder({ ...ownRecord(0), startTime: "1" })).toBe("dead");
  });

  const OTHER_BOOT = "00000000-0000-0000-0000-000000000000";

  it.skipIf(machineId() === null)("calls a holder of an earlier boot of this machine dead", () => {
    expect(judgeHolder({ ...ownRecord(0), bootId: OTHER_BOOT })).toBe("dead");
  });

  onLinux.each<readonly [string, Partial<LockRecord>, number]>([
    ["is from another boot that began after ours", {}, Date.now()],
    ["was written on another machine of this name", { machineId: "f".repeat(32) }, 0],
    ["names no machine", { machineId: null }, 0],
    ["is in another pid namespace of another boot", { pidNamespace: "pid:[1]" }, 0],
    ["does not name its boot", { bootId: null }, 0],
  ])("does not judge a holder that %s", (_which, change, at) => {
    expect(judgeHolder({ ...ownRecord(at), bootId: OTHER_BOOT, ...change })).toBe("unknown");
  });

  onLinux("does not judge a pid without a start time", () => {
    expect(judgeHolder({ ...ownRecord(0), startTime: null })).toBe("unknown");
  });

  it("proves a holder alive by pid and start time only", () => {
    expect(isProvedAlive(ownRecord(0))).toBe(process.platform === "linux");
    expect(isProvedAlive({ ...ownRecord(0), bootId: null, startTime: null })).toBe(false);
    expect(isProvedAlive({ ...ownRecord(0), host: "another-host" })).toBe(false);
  });

  it("does not judge a holder on another host", () => {
    expect(judgeHolder({ ...ownRecord(0), host: "another-host", bootId: "x", pid: 2 ** 22 + 1 })).toBe(
      "unknown",
    );
  });

  onLinux("does not judge a holder in another pid namespace", () => {
    expect(judgeHolder({ ...ownRecord(0), pidNamespace: "pid:[1]", startTime: "1" })).toBe("unknown");
  });

  const TIME = ["--user", "--map-root-user", "--time", "--boottime", "100000", "--fork"];
  const hasTime = spawnSync("unshare", [...TIME, "true"]).status === 0;

  it.skipIf(!hasTime)(
    "does not judge a holder whose clock since boot is another: its start time is told by it",
    () => {
      const folder = temporaryDir();
      const script = join(folder, "judge.mjs");
      const lock = join(import.meta.dirname, "../../dist/index.js");
      writeFileSync(
        script,
        `import { explainHolder, ownRecord } from ${JSON.stringify(lock)};
       const given = process.argv[2];
       console.log(JSON.stringify(given ? explainHolder(JSON.parse(given)).judgement : ownRecord(Date.now())));`,
      );
      const inside = (...words: readonly string[]) =>
        JSON.parse(
          spawnSync("unshare", [...TIME, process.execPath, script, ...words], { encoding: "utf8" }).stdout,
        );
      expect(inside(JSON.stringify(ownRecord(Date.now())))).toBe("unknown");
      expect(judgeHolder(inside())).toBe("unknown");
    },
  );

  onLinux("calls a zombie dead", async () => {
    // A shell that starts a child and then becomes a program which never waits for it; only then the child ends.
    const child = 'while read -r name < /proc/$$/comm && [ "$name" != sleep ]; do :; done; sleep 0.05';
    const parent = spawn("/bin/sh", ["-c", `(${child}) & echo $!; exec sleep 60`], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const pid = await new Promise<number>((resolve) => {
        parent.stdout.once("data", (chunk: Buffer) => resolve(Number(chunk.toString("utf8"))));
      });
      const startTime = processStartTime(pid);
      await until(() => processState(pid) === "Z");
      expect(judgeHolder({ ...ownRecord(0), pid, startTime })).toBe("dead");
    } finally {
      parent.kill("SIGKILL");
    }
  });
});

describe("describeHolder", () => {
  it("names pid, host and time", () => {
    const record = { ...ownRecord(0), pid: 123, host: "box" };
    expect(describeHolder(record)).toBe("pid 123 on host box since 1970-01-01T00:00:00.000Z");
  });
});
