import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type {
  ThreadLimitOutput,
  ThreadListItem,
  ThreadTreeItem,
  ThreadUsageOutput,
} from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { REAL_MOCK, type Sandbox, sandbox } from "../support/uwf.js";
import { mapYaml, parentYaml, startParent, WORK, withKit } from "./support.js";

const USAGE = { inputTokens: 10, outputTokens: 2, costUsd: 0.5 };

let box: Sandbox;

/** Everybody is played by the mock, which fails as a worker as long as there is a file `fail`; it tells each start. */
beforeEach(async () => {
  box = sandbox();
  const scenario = (name: string, reply: string): string => {
    const worker = [{ reply, usage: USAGE }];
    const planner = [{ reply: "---\nitems: [a, b]\n---\n", usage: USAGE }];
    return box.write(name, JSON.stringify({ roles: { worker, planner } }));
  };
  const works = scenario("works.json", "---\nnote: done\n---\n");
  const fails = scenario("fails.json", "I do not know.");
  const agent = box.write(
    "agent.sh",
    `#!/bin/sh
cd '${box.cwd}'
echo "$1 $2" >>starts
[ "$2" = worker ] && [ -e fail ] && exec '${REAL_MOCK}' --scenario '${fails}' "$@"
exec '${REAL_MOCK}' --scenario '${works}' "$@"
`,
  );
  chmodSync(agent, 0o755);
  box.write(
    join(box.root, "config.yaml"),
    JSON.stringify({ agents: { mock: { command: agent } }, defaultAgent: "mock" }),
  );
  await put("work", WORK);
});

const put = (name: string, yaml: string) => box.json(["workflow", "put", box.write(`${name}.yaml`, yaml)]);
const step = (thread: string) => box.uwf(["thread", "step", thread], withKit());
const starts = () => {
  const file = join(box.cwd, "starts");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};

/** A thread three deep: a workflow, in it a map over two, in each a workflow, in which the worker works. */
async function startDeep(): Promise<string> {
  await put("inner", parentYaml("{ workflow: work }", { name: "inner" }));
  await put("map", mapYaml("{ workflow: inner, each: planner.items, jobs: 2 }"));
  const fields = "results: { type: array }, ok: { type: boolean }";
  const yaml = parentYaml("{ workflow: map }", { name: "outer", fields });
  return startParent(box, yaml.replace("required: [note]", "required: [ok]"));
}

/** Every thread of a tree, the first one first. */
function threadsIn(tree: ThreadTreeItem): readonly ThreadTreeItem[] {
  return [tree, ...tree.children.flatMap(threadsIn)];
}

async function treeIn(of: Sandbox): Promise<readonly ThreadTreeItem[]> {
  const [tree] = await of.json<readonly ThreadTreeItem[]>([
    "thread",
    "list",
    "--tree",
    "--all",
    "--format",
    "json",
  ]);
  return tree === undefined ? [] : threadsIn(tree);
}

// Dozens of processes each, of which a busy machine starts a few in a second.
const PATIENT = { timeout: 240_000 };

describe("a tree of threads, three deep", PATIENT, () => {
  it("uses what its runs have used, failed ones too, each once", async () => {
    const thread = await startDeep();
    box.write("fail", "");
    const failed = await step(thread);
    expect(failed.code).toBe(6);
    expect(failed.stderr.match(/child thread/g)).toHaveLength(3);
    rmSync(join(box.cwd, "fail"));
    expect((await step(thread)).code).toBe(0);
    // A planner, and for both items a worker that has failed and one that has not.
    expect(starts()).toHaveLength(5);
    type Line = { readonly outcome?: string; readonly usage?: typeof USAGE | null; readonly run?: string };
    const runs = (await box.json<readonly Line[]>(["log"])).filter(({ outcome }) => outcome !== undefined);
    const sum = (field: keyof typeof USAGE) =>
      runs.reduce((total, { usage }) => total + (usage?.[field] ?? 0), 0);
    expect(sum("costUsd")).toBe(5 * USAGE.costUsd);
    const { total, complete, children } = await box.json<ThreadUsageOutput>(["thread", "usage", thread]);
    expect(total).toEqual({
      inputTokens: sum("inputTokens"),
      outputTokens: sum("outputTokens"),
      totalTokens: sum("inputTokens") + sum("outputTokens"),
      costUsd: sum("costUsd"),
      unknown: { tokens: 0, cost: 0 },
    });
    expect(complete).toBe(true);
    // The outermost thread has run nobody but its child.
    expect(children).toMatchObject([{ total }]);
  });

  it("is exported as a whole, and in an empty root it reads the same", async () => {
    const thread = await startDeep();
    expect((await step(thread)).code).toBe(0);
    const file = join(box.cwd, "tree.car");
    await box.json(["cas", "export", thread, "-o", file]);
    const other = sandbox();
    await other.json(["cas", "import", file]);
    const tree = await treeIn(box);
    expect(tree.map(({ workflow }) => workflow)).toEqual(["outer", "map", "inner", "work", "inner", "work"]);
    expect(await treeIn(other)).toEqual(tree);
    for (const { thread: id } of tree) {
      const words = ["thread", "read", id, "--detail"];
      const [here, there] = [await box.uwf(words), await other.uwf(words)];
      expect([here.code, there.stdout]).toEqual([0, here.stdout]);
    }
    for (const verb of ["steps", "usage", "show"]) {
      const [here, there] = [
        await box.json(["thread", verb, thread]),
        await other.json(["thread", verb, thread]),
      ];
      expect(there).toEqual(here);
    }
    expect(await other.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
  });

  it("is killed as a whole, and so is what a kill that was cut short has left", async () => {
    const thread = await startDeep();
    box.write("fail", "");
    await step(thread);
    const tree = await treeIn(box);
    expect(tree.map(({ state }) => state)).toEqual(Array(6).fill("failing"));
    const killed = await box.json<{ readonly children: readonly string[] }>(["thread", "kill", thread]);
    expect([thread, ...killed.children].sort()).toEqual(tree.map((item) => item.thread).sort());
    expect(await box.json(["thread", "list"])).toEqual([]);
  });
});

describe("the limit of a tree", PATIENT, () => {
  it.each([
    ["USD", "--max-cost", 2, 4],
    ["steps", "--max-steps", 4, 3],
  ])("in %s is exceeded by no more than the runs in flight", async (_unit, option, limit, runs) => {
    const items = Array.from({ length: 9 }, (_, at) => `item-${at}`);
    const planner = [{ reply: `---\nitems: [${items.join(", ")}]\n---\n`, usage: USAGE }];
    const worker = [{ reply: "---\nnote: done\n---\n", usage: USAGE, delayMs: 300 }];
    box.write("works.json", JSON.stringify({ roles: { worker, planner } }));
    const JOBS = 3;
    await put("map", mapYaml(`{ workflow: work, each: planner.items, jobs: ${JOBS} }`));
    const { thread } = await box.json(["thread", "start", "map", "-p", "Do it", option, String(limit)]);
    const ran = await box.uwf(["thread", "run", thread], withKit());
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain("WAITING_FOR_THREADS");
    // `runs` of them reach the limit, the planner included; the others were under way when they did.
    const begun = starts().length;
    expect(begun).toBeGreaterThanOrEqual(runs);
    expect(begun).toBeLessThanOrEqual(runs + JOBS);
    const { spent } = await box.json<ThreadLimitOutput>(["thread", "limit", thread]);
    expect(spent.costUsd).toBe(begun * USAGE.costUsd);
    // Whoever steps them, again and again, starts nothing more.
    await box.uwf(["thread", "run", "--all", "--jobs", "4"], withKit());
    await box.uwf(["thread", "run", thread], withKit());
    expect(starts()).toHaveLength(begun);
    await box.json(["thread", "limit", thread, option, "100"]);
    expect((await box.uwf(["thread", "run", thread], withKit())).code).toBe(0);
    expect(starts()).toHaveLength(10);
    const all = await box.json<readonly (ThreadListItem & { readonly done: boolean })[]>([
      "thread",
      "list",
      "--all",
    ]);
    expect(all.filter(({ done }) => !done)).toEqual([]);
  });
});
