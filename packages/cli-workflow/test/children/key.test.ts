import { beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { configure, WORK, withKit } from "./support.js";

let box: Sandbox;

beforeEach(async () => {
  box = sandbox();
  await configure(box);
});

type Started = { readonly thread: string; readonly existing?: boolean };

const start = (key: string, prompt = "Do it", workflow = "work") =>
  box.uwf(["thread", "start", workflow, "-p", prompt, "--key", key]);

describe("thread start --key", () => {
  it("gives the same thread for the same key, workflow and task, active or ended", async () => {
    const first: Started = JSON.parse((await start("issue-41")).stdout);
    expect(first).toEqual({ workflow: expect.any(String), thread: expect.any(String), existing: false });
    expect(JSON.parse((await start("issue-41")).stdout)).toEqual({ ...first, existing: true });
    await box.uwf(["thread", "run", first.thread], withKit());
    expect(JSON.parse((await start("issue-41")).stdout)).toEqual({ ...first, existing: true });
    expect(await box.json(["thread", "list", "--all"])).toHaveLength(1);
    const other: Started = JSON.parse((await start("issue-42")).stdout);
    expect(other.thread).not.toBe(first.thread);
  });

  it("refuses another task or workflow for a key", async () => {
    const first: Started = JSON.parse((await start("k")).stdout);
    await box.json(["workflow", "put", box.write("o.yaml", WORK.replace("name: work", "name: other"))]);
    for (const ran of [await start("k", "Something else"), await start("k", "Do it", "other")]) {
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain("error[KEY_TAKEN]");
      expect(ran.stderr).toContain(`uwf thread show ${first.thread}`);
    }
  });

  it("makes one thread of many starts at once", async () => {
    const ran = await Promise.all(Array.from({ length: 8 }, () => start("same")));
    const started: readonly Started[] = ran.map(({ stdout }) => JSON.parse(stdout));
    expect(new Set(started.map(({ thread }) => thread)).size).toBe(1);
    expect(started.filter(({ existing }) => existing === false)).toHaveLength(1);
  });

  it("refuses a key that is empty or far too long", async () => {
    expect((await start("")).code).toBe(4);
    expect((await start("x".repeat(1025))).code).toBe(4);
  });
});
