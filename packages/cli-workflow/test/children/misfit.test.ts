import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ForkOutput, ThreadShowOutput, ThreadStepsOutput } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { says, startServer } from "../../../workflow-agent-kit/test/llm/fake-server.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { configure, mapYaml, parentYaml, startParent, starts, WORK, withKit } from "./support.js";

let box: Sandbox;

beforeEach(async () => {
  box = sandbox();
  await configure(box);
});

const step = (thread: string) => box.uwf(["thread", "step", thread], withKit());
const show = (thread: string) => box.json<ThreadShowOutput>(["thread", "show", thread]);

async function lastStep(thread: string) {
  const { steps } = await box.json<ThreadStepsOutput>(["thread", "steps", thread]);
  const last = steps.at(-1);
  if (last === undefined || !("output" in last)) throw new Error("there is no step");
  return last;
}

/** A parent that wants a summary of a child that gives a note. */
const wanting = (agent: string): string =>
  parentYaml(agent)
    .replace("required: [note]", "required: [summary]")
    .replace("note: { type: string }", "summary: { type: string }");

const CORRECTED = `{ workflow: work, output: "{ 'summary': steps[-1].output.note }" }`;

describe("a child whose output does not fit the meta of its parent's role", () => {
  it.each([
    ["in the place of the old one", true],
    ["beside the old one", false],
  ])("is not run again by a corrected parent %s", async (_name, isInstead) => {
    const thread = await startParent(box, wanting("{ workflow: work }"));
    const failed = await step(thread);
    expect(failed.code).toBe(6);
    expect(failed.stderr).toContain("the output of uwf-workflow does not fit the meta of lead:");
    const { head, children } = await show(thread);
    expect(failed.stderr).toContain("output: \"{ 'summary': steps[-1].output.<field> }\"");
    expect(failed.stderr).toContain(`uwf thread fork ${head} --workflow parent --instead-of ${thread}`);
    expect(starts(box)).toHaveLength(1);

    await box.json(["workflow", "put", box.write("p.yaml", wanting(CORRECTED))]);
    const instead = isInstead ? ["--instead-of", thread] : [];
    const words = ["thread", "fork", head, "--workflow", "parent", ...instead];
    const { thread: next } = await box.json<ForkOutput>(words);
    const ran = await step(next ?? "");
    expect(ran.code, ran.stderr).toBe(0);
    expect(starts(box)).toHaveLength(1);
    expect(await lastStep(next ?? "")).toMatchObject({ output: { summary: "done", ok: true, steps: 1 } });
    const [own] = (await show(next ?? "")).children;
    const [old] = children;
    expect(own?.thread).not.toBe(old?.thread);
    expect((await show(own?.thread ?? "")).head).toBe((await show(old?.thread ?? "")).head);
    expect(await show(own?.thread ?? "")).toMatchObject({
      done: true,
      reason: "end",
      parent: { thread: next },
    });
  });

  it("is not run again in a map, where only the items that had not ended are", async () => {
    writeFileSync(join(box.cwd, "items"), "item-1, item-2, item-3");
    const agent = "{ workflow: work, each: planner.items, jobs: 3 }";
    const thread = await startParent(box, mapYaml(agent));
    await step(thread);
    writeFileSync(join(box.cwd, "fail-2"), "");
    expect((await step(thread)).code).toBe(6);
    const { head } = await show(thread);
    const before = starts(box).length;
    const corrected = mapYaml(agent.replace("jobs: 3", "jobs: 3, partial: true"));
    await box.json(["workflow", "put", box.write("p.yaml", corrected)]);
    const words = ["thread", "fork", head, "--workflow", "map", "--instead-of", thread];
    const { thread: next } = await box.json<ForkOutput>(words);
    await step(next ?? "");
    expect(starts(box).length).toBe(before + 1);
  });

  it("is read by the model for extract, if one is configured", async () => {
    const thread = await startParent(box, wanting("{ workflow: work }"));
    const server = await startServer([says('{"summary": "all of it", "reason": "refused", "steps": 99}')]);
    appendFileSync(join(box.root, "config.yaml"), modelsAt(server.baseUrl));
    writeFileSync(join(box.root, ".env"), "LOCAL_API_KEY=sk-from-file\n", { mode: 0o600 });
    try {
      const ran = await step(thread);
      expect(ran.code, ran.stderr).toBe(0);
      const { head } = await show((await show(thread)).children[0]?.thread ?? "");
      const sent = JSON.stringify(server.received[0]?.body.messages);
      expect(sent).toContain(`node ${head}`);
      expect(sent).toContain("note: done");
      expect(server.received[0]?.body.tools).toMatchObject([{ function: { name: "cas_get" } }]);
      expect(await lastStep(thread)).toMatchObject({
        output: { summary: "all of it", ok: true, reason: "end", steps: 1 },
      });
    } finally {
      await server.close();
    }
  });

  it("is not made up by a model when the child failed", async () => {
    const failing = WORK.replace("role: $END", "role: $FAIL");
    await box.json(["workflow", "put", box.write("work.yaml", failing)]);
    const thread = await startParent(box, wanting("{ workflow: work }"));
    const server = await startServer([says('{"summary": "all of it", "ok": true}')]);
    appendFileSync(join(box.root, "config.yaml"), modelsAt(server.baseUrl));
    writeFileSync(join(box.root, ".env"), "LOCAL_API_KEY=sk-from-file\n", { mode: 0o600 });
    try {
      expect((await step(thread)).code).toBe(6);
      expect(server.received).toEqual([]);
    } finally {
      await server.close();
    }
  });
});

const modelsAt = (baseUrl: string): string => `
providers: { local: { baseUrl: "${baseUrl}", apiKeyEnv: LOCAL_API_KEY } }
models: { small: { provider: local, name: small-1 } }
defaultModel: small
`;
