import { join } from "node:path";
import type { ThreadShowOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { configure, parentYaml, startParent, WORK, withKit } from "../children/support.js";
import { type Sandbox, sandbox } from "../support/uwf.js";

const GATE = WORK.replace("name: work", "name: gate").replace(
  "description: works",
  "description: works\n    agent: human",
);

type Imported = { readonly entries: readonly { readonly thread: string; readonly outcome: string }[] };

const step = (box: Sandbox, thread: string) => box.uwf(["thread", "step", thread], withKit());
const childrenOf = async (box: Sandbox, thread: string): Promise<readonly string[]> =>
  (await box.json<ThreadShowOutput>(["thread", "show", thread])).children.map((child) => child.thread);

/** A thread whose role is played by a thread in which a person is asked. */
async function startGated(box: Sandbox): Promise<string> {
  await configure(box);
  await box.json(["workflow", "put", box.write("gate.yaml", GATE)]);
  return startParent(box, parentYaml("{ workflow: gate }"));
}

async function copy(from: Sandbox, thread: string, to: Sandbox, ...more: readonly string[]) {
  const file = join(from.cwd, "copy.pack");
  await from.json(["thread", "export", thread, "-o", file, "--force"]);
  return to.json<Imported>(["thread", "import", file, ...more]);
}

/** What a stranger makes of a thread that was shared with them: its child, with an approval. */
async function approved(from: Sandbox, thread: string): Promise<Sandbox> {
  const stranger = sandbox();
  await configure(stranger);
  await stranger.json(["workflow", "put", stranger.write("gate.yaml", GATE)]);
  await copy(from, thread, stranger);
  expect((await step(stranger, thread)).code).toBe(9);
  for (const child of await childrenOf(stranger, thread))
    await stranger.uwf(["thread", "answer", child, "--field", "note=approved by a stranger"]);
  return stranger;
}

describe("an export of a thread that was shared", () => {
  it("whose child was approved elsewhere answers nothing here: a person is asked", async () => {
    const box = sandbox();
    const thread = await startGated(box);
    const stranger = await approved(box, thread);
    await copy(stranger, thread, box);
    expect((await step(box, thread)).code).toBe(9);
    const [child = "", ...others] = await childrenOf(box, thread);
    expect(others).toEqual([]);
    await box.json(["thread", "answer", child, "--field", "note=no"]);
    expect((await step(box, thread)).code).toBe(0);
    expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true });
    expect((await box.uwf(["thread", "read", thread])).stdout).toContain("note: no");
  });

  it("brings no approval in the place of a person's refusal", async () => {
    const box = sandbox();
    const thread = await startGated(box);
    const stranger = await approved(box, thread);
    expect((await step(box, thread)).code).toBe(9);
    const [child = ""] = await childrenOf(box, thread);
    await box.json(["thread", "answer", child, "--field", "note=no"]);
    const file = join(stranger.cwd, "theirs.pack");
    await stranger.json(["thread", "export", thread, "-o", file]);
    const ran = await box.uwf(["thread", "import", file]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout).entries).toMatchObject([
      { thread, outcome: "unchanged" },
      { head: null, outcome: "collides" },
    ]);
    expect(ran.stderr).toContain("has the same end of its id");
    expect((await step(box, thread)).code).toBe(0);
    expect((await box.uwf(["thread", "read", thread])).stdout).toContain("note: no");
  });

  it("has no key here: --key starts its own thread", async () => {
    const [box, stranger] = [sandbox(), sandbox()];
    await configure(box);
    await configure(stranger);
    const start = ["thread", "start", "work", "-p", "Release it", "--key", "release-7"];
    const theirs = await stranger.json<{ readonly thread: string }>(start);
    await stranger.uwf(["thread", "run", theirs.thread], withKit());
    await copy(stranger, theirs.thread, box);
    const own = await box.json<{ readonly thread: string; readonly existing: boolean }>(start);
    expect([own.existing, own.thread === theirs.thread]).toEqual([false, false]);
    expect(await box.json(start)).toMatchObject({ thread: own.thread, existing: true });
    expect((await box.uwf(["run", ...start.slice(2)], withKit())).code).toBe(0);
    const other = sandbox();
    await configure(other);
    const kept = await other.json<{ readonly thread: string }>(start);
    expect((await copy(stranger, theirs.thread, other)).entries).toMatchObject([{ outcome: "collides" }]);
    expect(await other.json(start)).toMatchObject({ thread: kept.thread, existing: true });
  });
});

describe("a backup of a storage root", () => {
  it("is restored by a word on the command line: keys, and children for their parents", async () => {
    const [box, empty] = [sandbox(), sandbox()];
    const thread = await startGated(box);
    expect((await step(box, thread)).code).toBe(9);
    const [child = ""] = await childrenOf(box, thread);
    await box.json(["thread", "answer", child, "--field", "note=yes"]);
    const start = ["thread", "start", "gate", "-p", "Release it", "--key", "release-7"];
    const keyed = await box.json<{ readonly thread: string }>(start);
    await configure(empty);
    await empty.json(["workflow", "put", empty.write("gate.yaml", GATE)]);
    for (const id of [thread, keyed.thread]) await copy(box, id, empty, "--restore");
    expect(await empty.json(start)).toMatchObject({ thread: keyed.thread, existing: true });
    expect((await step(empty, thread)).code).toBe(0);
    expect(await childrenOf(empty, thread)).toEqual([child]);
    expect((await empty.uwf(["thread", "read", thread])).stdout).toContain("note: yes");
  });

  it("is nothing that --from-root brings", async () => {
    const box = sandbox();
    const ran = await box.uwf(["thread", "import", "--from-root", box.root, "--restore"]);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("--restore is for an export file")]);
  });
});
