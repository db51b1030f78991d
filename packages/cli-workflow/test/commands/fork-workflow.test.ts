import { resolve } from "node:path";
import type { WorkflowForkOutput } from "@uncaged/workflow-protocol";
import { openStorage, putNode, readNode } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { judged, MADE, mockWith } from "../sessions/support.js";
import { CORRECTED, loopWith, NO_FALLBACK, OPEN_META, startStuck } from "../support/stuck.js";
import { type Doc, type Ran, type Sandbox, sandbox, WHOLE } from "../support/uwf.js";

const UNDECIDED = "---\nscore: high\n---\n";
const LATER = { maker: [{ reply: MADE }], checker: [{ reply: judged(true) }] };

/** A thread of NO_FALLBACK that is stuck behind its checker. */
async function stuck(
  box: Sandbox,
  workflow: string = NO_FALLBACK,
): Promise<{ thread: string; head: string; ran: Ran }> {
  const agent = mockWith(box, {
    maker: [{ reply: MADE, sessionId: "s-1" }],
    checker: [{ reply: UNDECIDED }],
  });
  const thread = await startStuck(box, workflow, agent);
  const ran = await box.uwf(["thread", "step", thread, "--agent", agent]);
  expect(ran.code).toBe(5);
  const { head } = await box.json(["thread", "show", thread]);
  return { thread, head, ran };
}

/** The commands of a hint, as words. */
function commandsOf(hint: string): readonly string[][] {
  return [...hint.matchAll(/`uwf ([^`]+)`/g)].map(([, words]) => (words ?? "").split(" "));
}

/** Does what the hint of a failure says, with the corrected file; gives the new thread. */
async function follow(box: Sandbox, { stderr }: Ran): Promise<Doc> {
  const file = box.write("corrected.yaml", CORRECTED);
  const [put = [], fork = []] = commandsOf(stderr.slice(stderr.indexOf("hint: ")));
  await box.json(put.map((word) => (word === "<file.yaml>" ? file : word)));
  return box.json(fork);
}

const foreign = (box: Sandbox) => openStorage(box.root, { now: Date.now });

describe("the hint of a routing fault", () => {
  const meta = OPEN_META;
  it.each([
    ["NO_TRANSITION", NO_FALLBACK],
    [
      "CONDITION_NOT_BOOLEAN",
      loopWith({
        meta,
        conditions: { yes: "steps[-1].output.approved" },
        leads: ["{ role: $END, condition: yes }", "{ role: maker, condition: null }"],
      }),
    ],
    [
      "CONDITION_FAILED",
      loopWith({
        meta,
        conditions: { much: "$number(steps[-1].output.score) > 3" },
        leads: ["{ role: $END, condition: much }", "{ role: maker, condition: null }"],
      }),
    ],
  ])("%s is a command that takes the paid work to its end", async (code, workflow) => {
    const box = sandbox();
    const { thread, head, ran } = await stuck(box, workflow);
    expect(ran.stderr).toContain(`error[${code}]`);
    const forked = await follow(box, ran);
    expect(forked).toMatchObject({ forkedFrom: { step: head }, next: "maker" });
    const agent = mockWith(box, LATER);
    expect(await box.json(["thread", "run", forked.thread, "--agent", agent])).toMatchObject({ done: true });
    const { steps } = await box.json(["thread", "steps", forked.thread]);
    expect(steps.slice(1).map(({ role }) => role)).toEqual(["maker", "checker", "maker", "checker"]);
    expect(await box.json(["thread", "show", thread])).toMatchObject({ head, done: false });
  });

  it.each([
    ["UNKNOWN_CONDITION", { role: "$END", condition: "nowhere" }],
    ["UNKNOWN_ROLE", { role: "nobody", condition: null }],
  ])("%s, of a workflow that somebody else stored, is such a command too", async (code, transition) => {
    const box = sandbox();
    const { head } = await stuck(box);
    const storage = foreign(box);
    const { hash } = (await box.json<Doc[]>(["workflow", "list"]))[0] ?? { hash: "" };
    const workflow = readNode(storage.cas, "workflow", hash as never);
    const step = readNode(storage.cas, "stepNode", head as never);
    if (!workflow.ok || !step.ok) throw new Error("not stored");
    const graph = { ...workflow.value.payload.graph, checker: [transition] };
    const odd = await putNode(storage.cas, "workflow", { ...workflow.value.payload, graph });
    const start = await putNode(storage.cas, "startNode", { workflow: odd, prompt: "Do it" });
    const last = await putNode(storage.cas, "stepNode", { ...step.value.payload, start, prev: null });
    const { thread } = await box.json(["thread", "fork", last]);
    const ran = await box.uwf(["thread", "step", thread]);
    expect(ran).toMatchObject({ code: 5, stderr: expect.stringContaining(`error[${code}]`) });
    const forked = await follow(box, ran);
    const agent = mockWith(box, LATER);
    expect(await box.json(["thread", "run", forked.thread, "--agent", agent])).toMatchObject({ done: true });
  });
});

describe("thread fork --workflow", () => {
  it("writes every step again on a new start, and touches nothing that was there", async () => {
    const box = sandbox();
    const { thread, head } = await stuck(box);
    const before = box.snapshot();
    const old = await box.json(["thread", "steps", thread]);
    const file = box.write("corrected.yaml", CORRECTED);
    const forked = await box.json<WorkflowForkOutput>(["thread", "fork", head, "--workflow", file]);
    const now = await box.json(["thread", "steps", forked.thread ?? ""]);
    const after = box.snapshot();
    for (const [name, bytes] of Object.entries(before)) {
      if (name !== "threads.yaml") expect(after[name]).toBe(bytes);
    }
    expect(now.steps[0]?.prompt).toBe("Do it");
    const bare = (doc: Doc) => doc.steps.slice(1).map(({ hash: _, ...step }) => step);
    // Times, details and agents too: the work is the same.
    expect(bare(now)).toEqual(bare(old));
    expect(forked.steps).toEqual(
      old.steps
        .slice(1)
        .map(({ hash, role }, place) => ({ from: hash, to: now.steps[place + 1]?.hash, role })),
    );
    expect(forked).toMatchObject({ workflow: now.workflow, forkedFrom: { step: head }, next: "maker" });
    // Not registered: that is what `workflow put` is for.
    expect(await box.json<Doc[]>(["workflow", "list"])).toEqual([
      { name: "loop", hash: old.workflow, origin: "registry" },
    ]);
    expect((await box.uwf(["cas", "verify"])).code).toBe(0);
  });

  it("--dry-run prints the same and writes nothing", async () => {
    const box = sandbox();
    const { head, thread } = await stuck(box);
    const file = box.write("corrected.yaml", CORRECTED);
    const before = box.snapshot();
    const asked = await box.json<WorkflowForkOutput>([
      "thread",
      "fork",
      head,
      "--workflow",
      file,
      "--dry-run",
    ]);
    expect(box.snapshot()).toEqual(before);
    const forked = await box.json<WorkflowForkOutput>(["thread", "fork", head, "--workflow", file]);
    expect(asked).toEqual({ ...forked, thread: null });
    expect(await box.json(["thread", "fork", head, "--dry-run"])).toEqual({
      thread: null,
      forkedFrom: { step: head, thread },
      cwd: box.cwd,
    });
  });

  it("names every step that does not fit, and the node before them; nothing is written", async () => {
    const box = sandbox();
    const { head, thread } = await stuck(box);
    const strict =
      "{ type: object, required: [approved], properties: { approved: { type: boolean } }, additionalProperties: false }";
    const leads = ["{ role: $END, condition: null }"];
    const tight = loopWith({ meta: strict, leads }).replaceAll("maker", "makers");
    const file = box.write("a tight one.yaml", tight);
    const before = box.snapshot();
    const { steps } = await box.json(["thread", "steps", thread]);
    const ran = await box.uwf(["thread", "fork", head, "--workflow", file, "--error-format", "json"]);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    const report = JSON.parse(ran.stderr.trim().split("\n").at(-1) ?? "");
    expect(report).toMatchObject({
      code: "STEPS_DO_NOT_FIT",
      hint: expect.stringContaining(`uwf thread fork ${steps[0]?.hash} --workflow`),
      data: {
        fits: steps[0]?.hash,
        problems: [
          {
            step: steps[1]?.hash,
            role: "maker",
            violations: ['there is no such role, did you mean "makers"?'],
          },
          {
            step: steps[2]?.hash,
            role: "checker",
            violations: [expect.stringContaining("approved"), expect.any(String)],
          },
        ],
      },
    });
    expect(box.snapshot()).toEqual(before);
    const hinted = /`uwf (.*) '(.*)'`/.exec(report.hint) ?? [];
    const words = [...(hinted[1] ?? "").split(" "), hinted[2] ?? ""];
    expect(await box.json(words)).toMatchObject({ steps: [], next: "makers" });
  });

  it("refuses a field that refers to a missing node", async () => {
    const box = sandbox();
    const { head } = await stuck(box);
    const meta = "{ type: object, properties: { score: { type: string, format: cas_ref } } }";
    const file = box.write(
      "ref.yaml",
      CORRECTED.replace(
        OPEN_META,
        meta.replace("properties: {", "properties: { approved: { type: boolean },"),
      ),
    );
    const ran = await box.uwf(["thread", "fork", head, "--workflow", file]);
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining("STEPS_DO_NOT_FIT") });
  });

  it("refuses a workflow that leads nowhere either, and names the same head again", async () => {
    const box = sandbox();
    const { head } = await stuck(box);
    const before = box.snapshot();
    const file = box.write("again.yaml", NO_FALLBACK.replace("Made and checked", "Not corrected"));
    const ran = await box.uwf(["thread", "fork", head, "--workflow", file]);
    expect(ran).toMatchObject({ code: 5, stdout: "" });
    expect(ran.stderr).toContain(`uwf thread fork ${head} --workflow loop`);
    expect(box.snapshot()).toEqual(before);
  });

  it("of an unknown workflow, or of a node that is not a step, is refused as elsewhere", async () => {
    const box = sandbox();
    const { head } = await stuck(box);
    expect((await box.uwf(["thread", "fork", head, "--workflow", "lop"])).code).toBe(3);
    expect((await box.uwf(["thread", "fork", head, "--workflow", ""])).code).toBe(3);
    const { hash } = await box.json(["workflow", "show", "loop"]);
    expect((await box.uwf(["thread", "fork", hash, "--workflow", "loop"])).code).toBe(4);
  });

  it("inherits work that others paid for, and no session: as a plain fork", async () => {
    const box = sandbox();
    const { head } = await stuck(box);
    const file = box.write("corrected.yaml", CORRECTED);
    const agent = mockWith(box, {
      maker: [{ reply: MADE, sessionId: "s-1" }],
      checker: [{ reply: judged(true) }],
    });
    const { thread: rewritten } = await box.json(["thread", "fork", head, "--workflow", file]);
    // The plain fork of what was written again.
    const { thread: plain } = await box.json([
      "thread",
      "fork",
      (await box.json(["thread", "show", rewritten])).head,
    ]);
    const after = await Promise.all(
      [rewritten, plain].map(async (thread) => {
        const { head: next } = await box.json(["thread", "step", thread, "--agent", agent]);
        const { sessionId, prompt } = await box.json<{ sessionId: string; prompt: object }>([
          "thread",
          "step-details",
          next,
          "--format",
          "json",
        ]);
        const { steps } = await box.json<{ steps: readonly { inherited: boolean }[] }>([
          "thread",
          "usage",
          thread,
        ]);
        return { sessionId, prompt, inherited: steps.map(({ inherited }) => inherited) };
      }),
    );
    expect(after[0]).toEqual(after[1]);
    expect(after[0]?.inherited).toEqual([true, true, false]);
  });

  it.skipIf(!WHOLE)(
    "killed before any of its changes leaves an intact store, and makes the same nodes when repeated (whole)",
    async () => {
      const box = sandbox("node");
      const { head, thread } = await stuck(box);
      const file = box.write("corrected.yaml", CORRECTED);
      const fork = ["thread", "fork", head, "--workflow", file];
      const preload = resolve(import.meta.dirname, "../support/killed-at.cjs");
      const planned = await box.json<WorkflowForkOutput>([...fork, "--dry-run"]);
      let [at, done] = [1, false];
      // A stride hits each kind of change.
      for (; !done; at += 5) {
        const env = { NODE_OPTIONS: `--require=${preload}`, UWF_TEST_KILL_AT: String(at) };
        done = (await box.uwf(fork, { env })).code === 0;
        const list = await box.prepare<{ thread: string; workflow: string | null }[]>(["thread", "list"]);
        expect(list.filter(({ workflow }) => workflow === null)).toEqual([]);
        for (const { thread: each } of list) await box.prepare(["thread", "steps", each]);
      }
      expect(at).toBeGreaterThan(10);
      expect((await box.uwf(["cas", "verify"])).code).toBe(0);
      const forked = await box.json<WorkflowForkOutput>(fork);
      expect({ ...forked, thread: null }).toEqual(planned);
      expect(await box.json(["thread", "show", thread])).toMatchObject({ head, done: false });
    },
  );
});
