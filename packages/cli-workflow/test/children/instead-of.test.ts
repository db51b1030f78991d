import { join } from "node:path";
import type {
  ForkOutput,
  ThreadLimitOutput,
  ThreadListItem,
  ThreadShowOutput,
} from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { startGate } from "../support/gate.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";
import { configure, parentYaml, startParent, WORK, withKit } from "./support.js";

type Started = { readonly thread: string; readonly existing: boolean };

let box: Sandbox;

beforeEach(async () => {
  box = sandbox();
  await configure(box);
});

const fork = (hash: string, old: string, ...words: readonly string[]) =>
  box.json<ForkOutput>(["thread", "fork", hash, "--instead-of", old, ...words]);
const show = (thread: string) => box.json<ThreadShowOutput>(["thread", "show", thread]);
const active = async () => (await box.json<ThreadListItem[]>(["thread", "list"])).map(({ thread }) => thread);

describe("thread fork --instead-of", () => {
  it("archives the old thread, and the new one has its key and its limits", async () => {
    const words = ["thread", "start", "work", "-p", "Do it", "--key", "issue-41", "--max-steps", "7"];
    const { thread: old, existing } = await box.json<Started>(words);
    expect(existing).toBe(false);
    const { head } = await show(old);
    const { thread, insteadOf } = await fork(head, old);
    expect(insteadOf).toBe(old);
    expect(await active()).toEqual([thread]);
    expect(await show(old)).toMatchObject({ done: true, reason: "killed", head });
    expect(await box.json(words)).toMatchObject({ thread, existing: true });
    const { limits } = await box.json<ThreadLimitOutput>(["thread", "limit", thread ?? ""]);
    expect(limits).toMatchObject({ maxSteps: 7 });
  });

  it("of several at the same time puts one thread in its place", async () => {
    const old = await startTurns(box);
    const { head: start } = await show(old);
    await box.json(["thread", "step", old, "--agent", zoo("valid")]);
    const { head } = await show(old);
    const all = await Promise.all(
      [start, head, start, head].map((hash) => box.uwf(["thread", "fork", hash, "--instead-of", old])),
    );
    const done = all.filter(({ code }) => code === 0).map(({ stdout }) => JSON.parse(stdout).thread);
    expect(new Set(done).size).toBe(1);
    expect(await active()).toEqual([done[0]]);
    // Both have the same end. It means the one that stands there now, except to who would end it.
    expect(await show(old.slice(-6))).toMatchObject({ thread: done[0], done: false });
    const ambiguous = await box.uwf(["thread", "kill", old.slice(-6)]);
    expect(ambiguous).toMatchObject({ code: 2, stdout: "" });
    expect(ambiguous.stderr).toContain(`or the complete id: ${old} or ${done[0]}`);
    expect(await active()).toEqual([done[0]]);
    const listed = (await box.uwf(["thread", "list", "--all", "--format", "text"])).stdout;
    expect(listed).toMatch(new RegExp(`^\\S+${old.slice(-16)} .* killed `, "m"));
    expect(listed).toMatch(new RegExp(`^${old.slice(-4)} .* active `, "m"));
    for (const { code, stderr } of all.filter((ran) => ran.code !== 0)) {
      expect([4, 8, 75]).toContain(code);
      expect(stderr).toMatch(/stands in its place already|THREAD_ENDED|has ended/);
    }
  });

  it("keeps what was spent: a limit does not start again", async () => {
    const old = await startTurns(box);
    await box.json(["thread", "limit", old, "--max-steps", "1"]);
    const { head } = await show(old);
    await box.json(["thread", "step", old, "--agent", zoo("valid")]);
    const { thread } = await fork(head, old);
    const ran = await box.uwf(["thread", "step", thread ?? "", "--agent", zoo("valid")]);
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain("1 step taken; the limit is 1");
  });

  it("gives the parent the new child in the old one's place", async () => {
    await box.json([
      "workflow",
      "put",
      box.write(
        "ask.yaml",
        WORK.replace("name: work", "name: ask").replace("    meta:", "    agent: human\n    meta:"),
      ),
    ]);
    const parent = await startParent(box, parentYaml("{ workflow: ask }"));
    expect((await box.uwf(["thread", "step", parent], withKit())).code).toBe(9);
    const [old = ""] = (await show(parent)).held?.threads ?? [];
    const { thread } = await fork((await show(old)).head, old);
    await box.json(["thread", "answer", thread ?? "", "--field", "note=from the new one"]);
    expect(await box.json(["thread", "step", parent], withKit())).toMatchObject({ done: true });
    const { steps } = await box.json(["thread", "steps", parent]);
    expect(steps.at(-1)).toMatchObject({ output: { note: "from the new one", thread } });
  });

  it("completes itself if it died before the old thread was archived, and makes no second one", async () => {
    const { thread: old } = await box.json(["thread", "start", "work", "-p", "Do it"]);
    const { head } = await show(old);
    const before = box.read("threads.yaml");
    const { thread } = await fork(head, old);
    // As after a kill -9 between the new head and the archive.
    box.write(join(box.root, "threads.yaml"), before + box.read("threads.yaml"));
    box.write(join(box.root, "history.jsonl"), "");
    expect((await active()).sort()).toEqual([old, thread].sort());
    expect((await fork(head, old)).thread).toBe(thread);
    expect(await active()).toEqual([thread]);
  });

  it("stands in the place of a thread that has ended", async () => {
    const { thread: old } = await box.json(["thread", "start", "work", "-p", "Do it", "--key", "k"]);
    const { head } = await show(old);
    await box.json(["thread", "run", old], withKit());
    const { thread } = await fork(head, old);
    expect(await box.json(["thread", "start", "work", "-p", "Do it", "--key", "k"])).toMatchObject({
      thread,
    });
    expect(await show(old)).toMatchObject({ done: true, reason: "end" });
  });

  it("writes nothing with --dry-run", async () => {
    const { thread: old } = await box.json(["thread", "start", "work", "-p", "Do it"]);
    const { head } = await show(old);
    expect(await fork(head, old, "--dry-run")).toMatchObject({ thread: null, insteadOf: old });
    expect(await active()).toEqual([old]);
  });

  it("opens no gate: the person is asked again", async () => {
    const old = await startGate(box);
    const { thread } = await fork((await show(old)).head, old);
    expect((await box.uwf(["thread", "answer", thread ?? "", "--field", "approved=true"])).code).toBe(4);
  });

  it.each([
    ["a thread that does not exist", "01ARZ3NDEKTSV4RRFFQ69G5FAV", 3],
    ["something that is no id", "nonsense!", 2],
  ])("refuses %s, and makes no thread", async (_, old, code) => {
    const { thread } = await box.json(["thread", "start", "work", "-p", "Do it"]);
    const { head } = await show(thread);
    expect((await box.uwf(["thread", "fork", head, "--instead-of", old])).code).toBe(code);
    expect(await active()).toEqual([thread]);
  });
});
