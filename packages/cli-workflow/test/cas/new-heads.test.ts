import { rmSync } from "node:fs";
import { join } from "node:path";
import { META_SCHEMA_HASH } from "@uncaged/json-cas";
import { ok } from "@uncaged/workflow-protocol";
import { openStorage } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { command as fork } from "../../src/commands/thread/fork.js";
import { command as start } from "../../src/commands/thread/start.js";
import type { CommandContext } from "../../src/line/index.js";
import { type Doc, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";

/** A context in which `meanwhile` happens when the clock is asked for the new thread's id: after the first look, before the head. */
function contextOf(box: Sandbox, meanwhile: () => void): CommandContext {
  const host = {
    env: {},
    cwd: box.cwd,
    now: () => {
      meanwhile();
      return Date.now();
    },
  };
  const storage = openStorage(box.root, { now: Date.now });
  return {
    host,
    openStorage: () => ok(storage),
    warn: () => {},
    tell: () => {},
  } as unknown as CommandContext;
}

function remove(box: Sandbox, hash: string): void {
  rmSync(join(box.root, "cas", `${hash}.bin`), { force: true });
}

describe("a head that is set to what a gc has just taken", () => {
  it("is taken back by fork, which says so", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    const before = box.read("threads.yaml");
    const forked = await fork.run(
      contextOf(box, () => remove(box, head)),
      { hash: head, workflow: null, dryRun: false, cwd: null, insteadOf: null } as never,
    );
    expect(forked).toMatchObject({ ok: false, error: { code: "CHAIN_DAMAGED", node: head } });
    expect(forked.ok ? "" : JSON.stringify(forked.error)).toContain("no thread was created");
    expect(box.read("threads.yaml")).toBe(before);
  });

  it("is taken back by a fork under another workflow, when what it was written from has gone", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    const other = box.write("other.yaml", TURNS.replace("Two roles in turn", "The same, corrected"));
    const before = box.read("threads.yaml");
    const forked = await fork.run(
      contextOf(box, () => remove(box, head)),
      { hash: head, workflow: other, dryRun: false, cwd: null, insteadOf: null } as never,
    );
    expect(forked).toMatchObject({ ok: false, error: { code: "CHAIN_DAMAGED", node: head } });
    expect(box.read("threads.yaml")).toBe(before);
  });

  it("is taken back by start, when the workflow has gone", async () => {
    const box = sandbox();
    await startTurns(box);
    const [{ hash }] = await box.json<readonly [Doc]>(["workflow", "list"]);
    const before = box.read("threads.yaml");
    const started = await start.run(
      contextOf(box, () => remove(box, hash)),
      { cwd: null, workflow: hash, prompt: "Do it", promptFile: null, key: null, parent: null } as never,
    );
    expect(started).toMatchObject({ ok: false, error: { code: "CHAIN_DAMAGED", node: hash } });
    expect(box.read("threads.yaml")).toBe(before);
    expect(hash).not.toBe(META_SCHEMA_HASH);
  });
});
