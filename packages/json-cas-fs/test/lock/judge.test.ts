import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  describeHolder,
  explainHolder,
  judgeHolder,
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

  onLinux("says of a dead one whether its process is gone or its host was started anew", () => {
    expect(explainHolder({ ...ownRecord(0), startTime: "1" }).because).toBe(
      "no living process has its pid and start time",
    );
    expect(explainHolder({ ...ownRecord(0), bootId: "x" }).because).toBe("this host was started anew since");
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

  onLinux("calls every holder of another boot of this host dead", () => {
    expect(judgeHolder({ ...ownRecord(0), bootId: "00000000-0000-0000-0000-000000000000" })).toBe("dead");
  });

  it("does not judge a holder on another host", () => {
    expect(judgeHolder({ ...ownRecord(0), host: "another-host", bootId: "x", pid: 2 ** 22 + 1 })).toBe(
      "unknown",
    );
  });

  onLinux("does not judge a holder in another pid namespace", () => {
    expect(judgeHolder({ ...ownRecord(0), pidNamespace: "pid:[1]", startTime: "1" })).toBe("unknown");
  });

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

  it("asks for the pid alone where the system tells no boot id", () => {
    expect(judgeHolder({ ...ownRecord(0), bootId: null, startTime: null })).toBe("alive");
    expect(judgeHolder({ ...ownRecord(0), bootId: null, startTime: null, pid: 2 ** 22 + 1 })).toBe("dead");
  });
});

describe("describeHolder", () => {
  it("names pid, host and time", () => {
    const record = { ...ownRecord(0), pid: 123, host: "box" };
    expect(describeHolder(record)).toBe("pid 123 on host box since 1970-01-01T00:00:00.000Z");
  });
});
