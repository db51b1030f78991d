import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import type { ThreadPsItem } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { ASKED_ZOO, RUNTIMES, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";
import { exists, killNow, startWorking } from "./support.js";

const ps = (box: Sandbox) => box.json<readonly ThreadPsItem[]>(["thread", "ps"]);

const ended = (child: ChildProcess) => new Promise((resolve) => child.once("exit", resolve));

describe("uwf thread ps", () => {
  it.each(RUNTIMES)("prints every run under way, with its uwf, and no other thread (%s)", async (runtime) => {
    const box = sandbox(runtime);
    expect(await ps(box)).toEqual([]);
    const idle = await startTurns(box);
    await box.uwf(["thread", "step", idle, "--agent", zoo("valid")]);
    const thread = await startTurns(box);
    const { uwf, go } = await startWorking(box, thread);
    const [item, ...others] = await ps(box);
    expect(others).toEqual([]);
    expect(item).toEqual({
      thread,
      workflow: expect.stringMatching(/^[0-9A-Z]{13}$/),
      run: {
        role: "maker",
        agent: ASKED_ZOO[0],
        since: expect.any(Number),
        pid: expect.any(Number),
        model: null,
        lastSignOfLife: null,
        attempt: 1,
      },
      uwf: expect.objectContaining({ pid: uwf.pid, judgement: "alive" }),
    });
    go();
    await ended(uwf);
    expect(await ps(box)).toEqual([]);
  });

  it("prints an agent whose uwf is gone, until it has gone too", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf } = await startWorking(box, thread);
    await killNow(uwf);
    const [item] = await ps(box);
    expect(item).toMatchObject({ thread, run: { role: "maker" }, uwf: null });
    const agent = item?.run?.pid ?? 0;
    process.kill(-agent, "SIGKILL");
    await until("the agent is gone", () => !exists(agent));
    expect(await ps(box)).toEqual([]);
  });

  it("prints a run of a thread whose head is gone", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf, go } = await startWorking(box, thread);
    rmSync(`${box.root}/threads.yaml`);
    expect(await ps(box)).toMatchObject([{ thread, run: { role: "maker" } }]);
    go();
    await ended(uwf);
  });
});
