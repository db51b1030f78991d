import { describe, expect, it } from "vitest";
import { BINARIES, type Server, startPostgres } from "../support/postgres.js";
import { remoteBox } from "./support.js";

const DRAIN = ["worker", "--until-idle"];

describe.skipIf(BINARIES === null)("what a thread of the remote has done", () => {
  const starting: Promise<Server> | null = BINARIES === null ? null : startPostgres();
  const newBox = async () => {
    if (starting === null) throw new Error("skipped");
    return remoteBox((await starting).database());
  };

  it("is read with --remote, without a copy of it here", async () => {
    const box = await newBox();
    const thread = await box.submit();
    const failing = box.worker("one", "exit3");
    await box.json(DRAIN, { env: failing.env });
    await box.json(["thread", "resume", thread, "--remote"], { env: box.env });
    const { env } = box.worker("two", "valid");
    await box.json(DRAIN, { env });
    const there = ["--remote", thread.slice(-6)];
    const local = async (...words: readonly string[]) => (await box.uwf(words, { env })).stdout;
    const remote = async (...words: readonly string[]) => (await box.uwf(words, { env: box.env })).stdout;
    expect(await remote("thread", "read", ...there)).toBe(await local("thread", "read", thread));
    expect(await remote("thread", "steps", ...there)).toBe(await local("thread", "steps", thread));
    const usage = JSON.parse(await remote("thread", "usage", ...there));
    // The root that went on knows nothing of the run that failed in the other one.
    expect(usage).toMatchObject({
      ...JSON.parse(await local("thread", "usage", thread)),
      failed: [{ code: "AGENT_FAILED" }],
      failedTotal: {},
      total: {},
      complete: usage.complete,
    });
    const log = JSON.parse(await remote("log", "--remote", "--thread", thread));
    expect(log.map(({ event, outcome }: Record<string, string>) => event ?? outcome)).toEqual([
      ...["submitted", "failed", "held", "resumed", "step", "step", "step", "step"],
    ]);
    expect(JSON.parse(await remote("log", "--remote", "--limit", "2"))).toHaveLength(2);
    const shown = await remote("thread", "show", ...there, "--format", "text");
    expect(shown).toContain("maker recorded as");
    expect(shown).not.toContain("{");
    // Only the workflow's registration, before the thread was submitted.
    expect((await box.json<readonly { event: string }[]>(["log"])).map(({ event }) => event)).toEqual([
      "named",
    ]);
    expect((await box.uwf(["thread", "show", thread])).code).toBe(3);
  });

  it("stops with --remote after the step that runs, and goes on when it is resumed", async () => {
    const box = await newBox();
    const thread = await box.submit();
    const paused = await box.json(["thread", "pause", thread, "--remote", "-m", "not yet"], { env: box.env });
    expect(paused).toMatchObject({ thread, paused: true });
    const { env } = box.worker("one", "valid");
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 0, refused: 0, failed: 0 });
    expect(await box.json(["thread", "list", "--held", "--remote"], { env: box.env })).toMatchObject([
      { thread, paused: { why: "not yet" } },
    ]);
    const answered = await box.uwf(["thread", "answer", thread, "--remote", "--field", "text=x"], {
      env: box.env,
    });
    expect([answered.code, answered.stderr]).toEqual([
      9,
      expect.stringContaining(`uwf thread resume ${thread} --remote`),
    ]);
    await box.json(["thread", "resume", thread, "--remote"], { env: box.env });
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 2, refused: 0, failed: 0 });
  });
});
