import { messageOf, ok, type ThreadId } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { ofOneThread } from "../../src/report/index.js";

const THREAD = "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as ThreadId;

const deep = (level: number): number => 1 + deep(level + 1);

describe("what is made of one thread", () => {
  it.each([
    ["its stack ends", () => deep(0)],
    ["a text is too long", () => "x".repeat(2 ** 28).repeat(2 ** 28).length],
    ["it has no such date", () => new Date(9e15).toISOString().length],
  ])("is a fault that names the thread where %s", async (_, make) => {
    const made = await ofOneThread(THREAD, async () => ok(make()));
    expect(made.ok ? null : messageOf(made.error)).toContain(`thread ${THREAD} cannot be shown: `);
  });

  it("is what was made where nothing throws", async () => {
    expect(await ofOneThread(THREAD, async () => ok(1))).toEqual(ok(1));
  });
});
