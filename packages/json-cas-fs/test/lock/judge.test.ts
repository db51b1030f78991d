import { spawn, spawnSync } from "node:child_process";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  bootId,
  classifyHolder,
  describeHolder,
  explainHolder,
  type FoundLock,
  identifyFolder,
  isCopied,
  isProvedAlive,
  type LockRecord,
  machineId,
  ownRecord,
  processStartTime,
  processState,
} from "../../src/index.js";
import { startModule } from "../support/child.js";
import { temporaryDir } from "../support/temp.js";

const FOLDER = import.meta.dirname;

const onLinux = it.skipIf(process.platform !== "linux");

/** A record of this process where it was made, or elsewhere. */
function found(at = 0, foundIn = FOLDER, madeIn = FOLDER): FoundLock {
  return { ...ownRecord(at, identifyFolder(madeIn)), foundIn, renewedAt: 0 };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("the condition did not come true");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("explainHolder", () => {
  it("gives the reason with the judgement", () => {
    expect(explainHolder(found())).toMatchObject({ judgement: "alive", because: expect.any(String) });
    expect(explainHolder({ ...found(), host: "another-host" })).toEqual({
      judgement: "unknown",
      because: expect.stringContaining("on another host than this"),
    });
    const unreadable = { ...found(), pid: 0, acquiredAt: Date.now() + 1e9 };
    expect(explainHolder(unreadable)).toEqual({
      judgement: "unknown",
      because: "its record cannot be read",
    });
  });

  onLinux("says whether a dead holder's process is gone or its host was restarted", () => {
    expect(explainHolder({ ...found(), startTime: "1" }).because).toBe(
      "no living process has its pid and start time",
    );
    expect(explainHolder({ ...found(), bootId: "x", machineId: machineId() }).because).toBe(
      machineId() === null
        ? "it is from another boot, and whether it was on this machine is unknown"
        : "this machine has been restarted since",
    );
  });
});

describe("classifyHolder", () => {
  it("calls this process alive", () => {
    expect(classifyHolder(found())).toBe("alive");
  });

  it("calls a process that is gone dead", async () => {
    const child = startModule(temporaryDir(), "gone", "process.exit(0)", []);
    const startTime = processStartTime(child.pid);
    await child.exited;
    expect(classifyHolder({ ...found(), pid: child.pid, startTime })).toBe("dead");
  });

  onLinux("calls a reused pid dead: the start time is another one", () => {
    expect(classifyHolder({ ...found(), startTime: "1" })).toBe("dead");
  });

  const OTHER_BOOT = "00000000-0000-0000-0000-000000000000";

  it.skipIf(machineId() === null)("calls a holder of an earlier boot of this machine dead", () => {
    expect(classifyHolder({ ...found(), bootId: OTHER_BOOT })).toBe("dead");
  });

  onLinux.each<readonly [string, Partial<LockRecord>, number]>([
    ["is from another boot that began after ours", {}, Date.now()],
    ["was written on another machine of this name", { machineId: "f".repeat(32) }, 0],
    ["names no machine", { machineId: null }, 0],
    ["is in another pid namespace of another boot", { pidNamespace: "pid:[1]" }, 0],
    ["does not name its boot", { bootId: null }, 0],
  ])("does not judge a holder that %s", (_which, change, at) => {
    expect(classifyHolder({ ...found(at), bootId: OTHER_BOOT, ...change })).toBe("unknown");
  });

  it.skipIf(machineId() === null)(
    "does not judge a holder of an earlier boot that gave a sign of life less than a minute ago: another machine may have this one's name and id",
    () => {
      const earlier = { ...found(), bootId: OTHER_BOOT, renewedAt: 1_000_000 };
      expect(classifyHolder(earlier, 1_000_000 + 59_000)).toBe("unknown");
      expect(classifyHolder(earlier, 1_000_000 + 61_000)).toBe("dead");
      // The clock of the file system may be ahead.
      expect(classifyHolder(earlier, 1_000_000 - 5_000)).toBe("unknown");
    },
  );

  onLinux("calls a living holder dead in a copy of the folder whose lock it holds", () => {
    const [original, copy] = [temporaryDir(), temporaryDir()];
    expect(explainHolder(found(0, copy, original))).toEqual({
      judgement: "dead",
      because: expect.stringContaining(`its record was made in ${original}, of which this is a copy`),
    });
    expect(isProvedAlive(found(0, copy, original))).toBe(false);
  });

  onLinux("does not judge a living holder in a copy of a folder that is there no longer", () => {
    const original = temporaryDir();
    const made = found(0, temporaryDir(), original);
    rmSync(original, { recursive: true });
    expect(classifyHolder(made)).toBe("unknown");
    expect(isProvedAlive(made)).toBe(false);
  });

  onLinux("calls it alive where the folder was only renamed", () => {
    const folder = temporaryDir();
    const made = found(0, `${folder}-renamed`, folder);
    renameSync(folder, `${folder}-renamed`);
    onTestFinished(() => rmSync(`${folder}-renamed`, { recursive: true }));
    expect(classifyHolder(made)).toBe("alive");
  });

  it("compares the number of the device only within one boot", () => {
    const made = found();
    const other = { ...made, place: { folder: FOLDER, inode: made.place?.inode ?? "", device: "1" } };
    expect(isCopied(other, FOLDER)).toBe(bootId() === other.bootId);
    expect(isCopied({ ...other, bootId: OTHER_BOOT }, FOLDER)).toBe(false);
    expect(isCopied({ ...made, place: null }, FOLDER)).toBe(false);
  });

  onLinux("does not judge a pid without a start time", () => {
    expect(classifyHolder({ ...found(), startTime: null })).toBe("unknown");
  });

  it("proves a holder alive by pid and start time only", () => {
    expect(isProvedAlive(found())).toBe(process.platform === "linux");
    expect(isProvedAlive({ ...found(), bootId: null, startTime: null })).toBe(false);
    expect(isProvedAlive({ ...found(), host: "another-host" })).toBe(false);
  });

  it("does not judge a holder on another host", () => {
    expect(classifyHolder({ ...found(), host: "another-host", bootId: "x", pid: 2 ** 22 + 1 })).toBe(
      "unknown",
    );
  });

  onLinux("does not judge a holder in another pid namespace", () => {
    expect(classifyHolder({ ...found(), pidNamespace: "pid:[1]", startTime: "1" })).toBe("unknown");
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
       console.log(JSON.stringify(given ? explainHolder(JSON.parse(given)).judgement : { ...ownRecord(Date.now(), null), foundIn: ".", renewedAt: 0 }));`,
      );
      const inside = (...words: readonly string[]) =>
        JSON.parse(
          spawnSync("unshare", [...TIME, process.execPath, script, ...words], { encoding: "utf8" }).stdout,
        );
      expect(inside(JSON.stringify(found(Date.now())))).toBe("unknown");
      expect(classifyHolder(inside())).toBe("unknown");
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
      expect(classifyHolder({ ...found(), pid, startTime })).toBe("dead");
    } finally {
      parent.kill("SIGKILL");
    }
  });
});

describe("describeHolder", () => {
  it("names pid, host and time", () => {
    const record = { ...ownRecord(0, null), pid: 123, host: "box" };
    expect(describeHolder(record)).toBe("pid 123 on host box since 1970-01-01T00:00:00.000Z");
  });
});
