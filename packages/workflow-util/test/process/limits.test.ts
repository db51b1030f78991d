import { writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { runChild } from "../../src/process/index.js";
import { isAlive, zooTest as it, membersOf } from "./support.js";

/** Longer than any test: what has it never fires. */
const NEVER_MS = 600_000;

const STUBBORN = `trap '' TERM INT HUP; echo $$ > "$ZOO/agent-pid"; while :; do sleep 1; done`;

describe.concurrent("the wall clock limit", () => {
  it("ends a child that obeys", async ({ zoo }) => {
    const limits = { timeoutMs: 200, idleMs: null, graceMs: NEVER_MS };
    const outcome = await runChild(zoo.spec(zoo.shell("agent", "exec sleep 600"), { limits }));
    expect(outcome).toMatchObject({ kind: "timeout", limit: "wall" });
    expect(membersOf(outcome.pid)).toEqual([]);
  });

  it("ends a child that ignores SIGTERM, with its complete group", async ({ zoo }) => {
    const command = zoo.shell("agent", `(trap '' TERM; sleep 600 & sleep 600) & ${STUBBORN}`);
    const limits = { timeoutMs: 200, idleMs: null, graceMs: 200 };
    const outcome = await runChild(zoo.spec(command, { limits }));
    expect(outcome).toMatchObject({ kind: "timeout", limit: "wall" });
    expect(membersOf(outcome.pid)).toEqual([]);
  });

  it("ends a grandchild that outlives the child's obedience", async ({ zoo }) => {
    const command = zoo.shell(
      "agent",
      `sh -c 'trap "" TERM; echo $$ > "$ZOO/grandchild"; while :; do sleep 1; done' & exec sleep 600`,
    );
    const limits = { timeoutMs: 300, idleMs: null, graceMs: 200 };
    await runChild(zoo.spec(command, { limits }));
    expect(isAlive(await zoo.pidIn("grandchild"))).toBe(false);
  });

  it("does not touch a child that is in time", async ({ zoo }) => {
    const limits = { timeoutMs: NEVER_MS, idleMs: NEVER_MS, graceMs: 1 };
    expect(await runChild(zoo.spec(zoo.shell("agent", "exit 3"), { limits }))).toMatchObject({ code: 3 });
  });
});

describe.concurrent("the idle limit", () => {
  const limits = { timeoutMs: null, idleMs: 400, graceMs: 100 };

  it("ends a child that is silent", async ({ zoo }) => {
    const command = zoo.shell("agent", "echo first; exec sleep 600");
    expect(await runChild(zoo.spec(command, { limits }))).toMatchObject({ kind: "timeout", limit: "idle" });
  });

  it.for(["file", "memory"])("lets a child live that writes to stderr, a %s", async (kind, { zoo }) => {
    const command = zoo.shell(
      "agent",
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i >&2; sleep 0.1; done; exit 9",
    );
    const change =
      kind === "file" ? {} : { stderr: { kind: "memory", limitBytes: 2, onLine: null } as const };
    const generous = { ...limits, idleMs: 1_100 };
    expect(await runChild(zoo.spec(command, { limits: generous, ...change }))).toMatchObject({ code: 9 });
  });

  it("lets a silent child live whose heartbeat changes", async ({ zoo }) => {
    let beat = 0;
    const lastActivity = (): number => {
      beat += 1;
      return beat;
    };
    const command = zoo.shell("agent", "sleep 1; exit 9");
    expect(await runChild(zoo.spec(command, { limits, lastActivity }))).toMatchObject({ code: 9 });
    expect(beat).toBeGreaterThan(3);
  });

  it("ends a child whose heartbeat stops", async ({ zoo }) => {
    const command = zoo.shell("agent", "exec sleep 600");
    const outcome = await runChild(zoo.spec(command, { limits, lastActivity: () => 42 }));
    expect(outcome).toMatchObject({ kind: "timeout", limit: "idle" });
  });
});

describe.concurrent("a child whose result was seen", () => {
  const limits = { timeoutMs: NEVER_MS, idleMs: null, graceMs: 200 };

  it("is ended when it does not exit", async ({ zoo }) => {
    const command = zoo.shell("agent", `echo result; ${STUBBORN}`);
    const resultSeen = (): boolean => zoo.read("stdout") === "result\n";
    const outcome = await runChild(zoo.spec(command, { limits, resultSeen }));
    expect(outcome.kind).toBe("ended-after-result");
    expect(membersOf(outcome.pid)).toEqual([]);
  });

  it("keeps its own exit within the grace period", async ({ zoo }) => {
    const patient = { ...limits, graceMs: NEVER_MS };
    const command = zoo.shell("agent", "sleep 0.5; exit 6");
    const outcome = await runChild(zoo.spec(command, { limits: patient, resultSeen: () => true }));
    expect(outcome).toMatchObject({ kind: "exited", code: 6 });
  });

  it("is ended for its result, not for a limit that passes in the same moment", async ({ zoo }) => {
    const both = { timeoutMs: 200, idleMs: 200, graceMs: 200 };
    const outcome = await runChild(
      zoo.spec(zoo.shell("agent", "exec sleep 600"), {
        limits: both,
        resultSeen: () => true,
        lastActivity: null,
      }),
    );
    expect(["ended-after-result", "timeout"]).toContain(outcome.kind);
  });
});

describe.concurrent("an abort", () => {
  const patient = { timeoutMs: null, idleMs: null, graceMs: NEVER_MS };

  it("before the start starts nothing", async ({ zoo }) => {
    const abort = AbortSignal.abort("SIGINT");
    const command = zoo.shell("agent", "true");
    const outcome = await runChild(zoo.spec(command, { abort, pidFile: zoo.file("pid") }));
    expect(outcome).toMatchObject({ kind: "aborted", signal: "SIGINT", pid: null });
    expect(() => zoo.read("pid")).toThrow();
    expect(() => zoo.read("stdout")).toThrow();
  });

  it.for(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "forwards %s and waits for the child to tidy up",
    async (signal, { zoo }) => {
      const controller = new AbortController();
      const name = signal.slice(3);
      const command = zoo.script(
        "agent",
        `process.on("${signal}", () => { console.log("tidied after ${name}"); process.exit(0); });
       setInterval(() => {}, 1000); console.log("ready");`,
      );
      const onTick = (): void => {
        if (zoo.read("stdout") === "ready\n") controller.abort(signal);
      };
      const outcome = await runChild(
        zoo.spec(command, { limits: patient, abort: controller.signal, onTick }),
      );
      expect(outcome).toMatchObject({ kind: "aborted", signal });
      expect(zoo.read("stdout")).toBe(`ready\ntidied after ${name}\n`);
    },
  );

  it("without a signal's name means SIGTERM", async ({ zoo }) => {
    const controller = new AbortController();
    const command = zoo.shell("agent", "exec sleep 600");
    const running = runChild(zoo.spec(command, { limits: patient, abort: controller.signal }));
    controller.abort();
    expect(await running).toMatchObject({ kind: "aborted", signal: "SIGTERM" });
  });

  it.for([0, 1, 2, 5, 20])("that comes %i turns after the call is never missed", async (turns, { zoo }) => {
    const controller = new AbortController();
    const command = zoo.shell("agent", "exec sleep 600");
    const running = runChild(zoo.spec(command, { limits: patient, abort: controller.signal }));
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    controller.abort("SIGHUP");
    expect(await running).toMatchObject({ kind: "aborted", signal: "SIGHUP" });
  });

  it("kills a child that ignores it", async ({ zoo }) => {
    const controller = new AbortController();
    const limits = { timeoutMs: null, idleMs: null, graceMs: 200 };
    const running = runChild(zoo.spec(zoo.shell("agent", STUBBORN), { limits, abort: controller.signal }));
    const pid = await zoo.pidIn("agent-pid");
    controller.abort("SIGINT");
    expect(await running).toMatchObject({ kind: "aborted", signal: "SIGINT", pid });
    expect(membersOf(pid)).toEqual([]);
  });

  it("reaches a grandchild in a session of its own by its token", async ({ zoo }) => {
    const controller = new AbortController();
    const token = `token-${process.pid}-setsid`;
    const command = zoo.script(
      "agent",
      `const { spawn } = require("node:child_process");
       spawn("sh", ["-c", "trap '' TERM; echo $$ > $ZOO/grandchild; while :; do sleep 1; done"], { detached: true, stdio: "inherit" });
       setInterval(() => {}, 1000);`,
    );
    const spec = zoo.spec(command, { abort: controller.signal, token });
    const running = runChild({ ...spec, env: { ...spec.env, UWF_RUN: token } });
    const grandchild = await zoo.pidIn("grandchild");
    expect(membersOf(null, token)).toContain(grandchild);
    controller.abort("SIGTERM");
    expect(await running).toMatchObject({ kind: "aborted" });
    expect(isAlive(grandchild)).toBe(false);
    expect(membersOf(null, token)).toEqual([]);
  });

  it("after the end changes nothing", async ({ zoo }) => {
    const controller = new AbortController();
    const outcome = await runChild(zoo.spec(zoo.shell("agent", "exit 2"), { abort: controller.signal }));
    controller.abort("SIGINT");
    expect(outcome).toMatchObject({ kind: "exited", code: 2 });
  });
});

describe.concurrent("onTick", () => {
  it("is called while the child runs, and once when everything is written", async ({ zoo }) => {
    const seen: string[] = [];
    const command = zoo.shell("agent", `echo early; until [ -e "$ZOO/go" ]; do sleep 0.05; done; echo late`);
    const onTick = (): void => {
      seen.push(zoo.read("stdout"));
      writeFileSync(zoo.file("go"), "");
    };
    await runChild(zoo.spec(command, { onTick }));
    expect(seen[0]).toBe("early\n");
    expect(seen.at(-1)).toBe("early\nlate\n");
  });
});
