import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CasRef } from "@uncaged/workflow-protocol";
import { openStorage, putNode, readChain, workflowOfHead } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../support/uwf.js";

const LOOP = `name: loop
description: Never ends
roles:
  worker:
    description: works
    goal: Work
    capabilities: []
    procedure: ""
    output: ""
    meta: { type: object, required: [note], properties: { note: { type: string } } }
conditions:
  always: { description: "", expression: "steps[-1].output.note != ''" }
graph:
  $START: [{ role: worker, condition: null }]
  worker: [{ role: worker, condition: always }, { role: $END, condition: null }]
`;

const STEPS = 203;

/** An agent whose steps are there already: it says which one follows the head. */
async function quickAgent(box: Sandbox, thread: string): Promise<string> {
  const { head } = await box.json(["thread", "show", thread]);
  const storage = openStorage(box.root, { now: Date.now });
  const chain = readChain(storage.cas, head as CasRef);
  const definition = workflowOfHead(storage.cas, head as CasRef);
  if (!chain.ok || !definition.ok) throw new Error("no chain");
  const roles = storage.cas.get(definition.value as CasRef)?.payload as {
    readonly roles: { readonly worker: { readonly meta: CasRef } };
  };
  const start = chain.value.start.hash;
  const { meta } = roles.roles.worker;
  const lines = await storage.cas.together(async (cas) => {
    const following: string[] = [];
    let prev: CasRef | null = null;
    for (let step = 0; step < STEPS; step += 1) {
      const output = await cas.put(meta, { note: `step ${step}` });
      const detail = await putNode(cas, "content", { text: `detail ${step}` });
      const next: CasRef = await putNode(cas, "stepNode", {
        start,
        prev,
        role: "worker",
        output,
        detail,
        agent: "quick",
      });
      following.push(`${prev ?? head} ${next}`);
      prev = next;
    }
    return following;
  });
  writeFileSync(join(box.cwd, "steps"), `${lines.join("\n")}\n`);
  const agent = box.write(
    "quick",
    `#!/bin/sh\ngrep "^$UWF_HEAD " '${join(box.cwd, "steps")}' | cut -d' ' -f2\n`,
  );
  chmodSync(agent, 0o755);
  return `'${agent}'`;
}

describe("thread run without --max-steps", () => {
  it("stops after 200 steps, says so, and how to go on", async () => {
    const box = sandbox();
    await box.json(["workflow", "put", box.write("loop.yaml", LOOP)]);
    const { thread } = await box.json(["thread", "start", "loop", "-p", "Do it"]);
    const agent = await quickAgent(box, thread);
    const ran = await box.uwf(["thread", "run", thread, "--quiet", "--agent", agent]);
    expect([ran.code, JSON.parse(ran.stdout).done]).toEqual([9, false]);
    expect(ran.stderr).toContain(
      `error[RUN_UNFINISHED]: thread ${thread} has not ended after 200 steps, the limit without --max-steps\n`,
    );
    expect(ran.stderr).toContain(
      `uwf thread run ${thread}\` with the same --agent; --max-steps sets another limit`,
    );
    const more = await box.uwf(["thread", "run", thread, "--quiet", "--max-steps", "2", "--agent", agent]);
    expect(more.stderr).toContain("has not ended after 2 steps, the limit of --max-steps");
  });
});
