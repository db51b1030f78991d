import { writeFileSync } from "node:fs";
import { createMemoryStore, type Hash, type Store } from "@uncaged/json-cas";
import { fsStoreFile } from "@uncaged/json-cas-fs";
import type { StepNodePayload } from "@uncaged/workflow-protocol";
import { beforeAll, describe, expect, it } from "vitest";
import {
  createLazyContext,
  putNode,
  readChain,
  readContext,
  readStartNode,
  workflowOfHead,
} from "../../src/index.js";
import { bad, good, HASH_A, startThread, tempStorage, WORKFLOW } from "../support/index.js";

type World = { store: Store; workflow: Hash; start: Hash; steps: Hash[]; outputs: Hash[]; detail: Hash };

async function world(length: number): Promise<World> {
  const store = createMemoryStore();
  const workflow = await putNode(store, "workflow", WORKFLOW);
  const start = await putNode(store, "startNode", { workflow, prompt: "Fix it" });
  const detail = await putNode(store, "content", { text: "what happened" });
  const steps: Hash[] = [];
  const outputs: Hash[] = [];
  for (let index = 0; index < length; index += 1) {
    const output = await putNode(store, "content", { text: `output ${index}` });
    const prev = steps.at(-1) ?? null;
    steps.push(
      await putNode(store, "stepNode", { start, prev, role: "developer", output, detail, agent: "a" }),
    );
    outputs.push(output);
  }
  return { store, workflow, start, steps, outputs, detail };
}

function without(store: Store, missing: Hash): Store {
  return { ...store, get: (hash) => (hash === missing ? null : store.get(hash)) };
}

describe("readChain", () => {
  it("gives the start and no steps for a head that is a start", async () => {
    const { store, start, workflow } = await world(0);
    const chain = good(readChain(store, start));
    expect(chain).toMatchObject({
      head: start,
      start: { hash: start },
      workflow: { hash: workflow },
      steps: [],
    });
    expect(chain.workflow.payload).toEqual(WORKFLOW);
  });

  it("gives the steps oldest first", async () => {
    const { store, steps } = await world(5);
    expect(good(readChain(store, steps[4]!)).steps.map((step) => step.hash)).toEqual(steps);
    expect(good(readChain(store, steps[2]!)).steps.map((step) => step.hash)).toEqual(steps.slice(0, 3));
  });

  it("takes ten thousand steps", async () => {
    const { store, steps } = await world(10_000);
    expect(good(readChain(store, steps[9_999]!)).steps).toHaveLength(10_000);
  });

  let base: World;
  beforeAll(async () => {
    base = await world(3);
  });

  it.each([
    ["the head", (w: World) => w.steps[2]!],
    ["a step between", (w: World) => w.steps[1]!],
    ["the first step", (w: World) => w.steps[0]!],
    ["the start", (w: World) => w.start],
    ["the workflow", (w: World) => w.workflow],
  ])("calls a chain damaged in which %s is missing, and names the node", (_, pick) => {
    const missing = pick(base);
    expect(bad(readChain(without(base.store, missing), base.steps[2]!))).toMatchObject({
      code: "CHAIN_DAMAGED",
      head: base.steps[2],
      node: missing,
      reason: expect.stringContaining("does not exist"),
    });
  });

  async function stepLike(w: World, change: Partial<StepNodePayload>): Promise<Hash> {
    const { store, start, detail } = w;
    return putNode(store, "stepNode", {
      start,
      prev: w.steps[2]!,
      role: "a",
      output: detail,
      detail,
      agent: "a",
      ...change,
    });
  }

  it.each([
    ["whose head is another kind of node", async (w: World) => w.detail, "is a content"],
    ["whose prev is another kind of node", (w: World) => stepLike(w, { prev: w.detail }), "is a content"],
    ["whose prev is the start", (w: World) => stepLike(w, { prev: w.start }), "is a StartNode"],
    ["whose start is a step", (w: World) => stepLike(w, { prev: null, start: w.steps[0]! }), "is a StepNode"],
    ["whose start is missing", (w: World) => stepLike(w, { prev: null, start: HASH_A }), "does not exist"],
  ])("calls a chain damaged %s", async (_, make, reason) => {
    const head = await make(base);
    expect(bad(readChain(base.store, head))).toMatchObject({
      code: "CHAIN_DAMAGED",
      head,
      reason: expect.stringContaining(reason),
    });
  });

  it("calls a chain damaged that mixes two starts", async () => {
    const { store, steps, workflow } = base;
    const other = await putNode(store, "startNode", { workflow, prompt: "Another" });
    const head = await stepLike(base, { start: other });
    expect(bad(readChain(store, head))).toMatchObject({ code: "CHAIN_DAMAGED", node: steps[2] });
  });

  it("calls a chain damaged if its start's workflow is not a workflow", async () => {
    const { store, detail } = base;
    const start = await putNode(store, "startNode", { workflow: detail, prompt: "x" });
    expect(bad(readChain(store, start))).toMatchObject({ code: "CHAIN_DAMAGED", node: detail });
  });

  it("names the file whose bytes are damaged", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const file = fsStoreFile(storage.paths.cas, start);
    writeFileSync(file, "damaged");
    expect(bad(readChain(tempStorage(storage.root).cas, start))).toMatchObject({
      code: "CHAIN_DAMAGED",
      node: start,
      reason: expect.stringContaining(`(${file})`),
    });
  });

  it("ends on a store that bends the chain into a ring", () => {
    const [first, , last] = base.steps;
    const bent = base.store.get(first!)!;
    const ring = { ...bent, payload: { ...(bent.payload as StepNodePayload), prev: last! } };
    const store: Store = { ...base.store, get: (hash) => (hash === first ? ring : base.store.get(hash)) };
    expect(bad(readChain(store, last!))).toMatchObject({ code: "CHAIN_DAMAGED", node: last });
  });
});

describe("contextOf", () => {
  it("expands every output, oldest first, and freezes it all", async () => {
    const { store, steps, workflow, detail } = await world(2);
    const context = good(readContext(store, good(readChain(store, steps[1]!))));
    expect(context).toEqual({
      start: { workflow, prompt: "Fix it" },
      steps: [0, 1].map((n) => ({ role: "developer", output: { text: `output ${n}` }, detail, agent: "a" })),
    });
    for (const part of [context, context.start, context.steps, context.steps[0], context.steps[0]!.output]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it("names the step whose output is missing", async () => {
    const { store, steps, outputs } = await world(2);
    const chain = good(readChain(store, steps[1]!));
    expect(bad(readContext(without(store, outputs[0]!), chain))).toMatchObject({
      code: "CHAIN_DAMAGED",
      node: outputs[0],
      reason: expect.stringContaining(steps[0]!),
    });
  });
});

describe("readStartNode", () => {
  it("reads two nodes however long the chain is", async () => {
    const { store, steps, start, workflow } = await world(50);
    const read: Hash[] = [];
    const counting: Store = {
      ...store,
      get: (hash) => {
        read.push(hash);
        return store.get(hash);
      },
    };
    expect(good(readStartNode(counting, steps[49]!)).hash).toBe(start);
    expect(read).toEqual([steps[49], start]);
    expect(good(readStartNode(store, start)).hash).toBe(start);
    expect(good(workflowOfHead(store, steps[49]!))).toBe(workflow);
  });

  it("calls a head damaged that leads to no start", async () => {
    const { store, steps, start, detail } = await world(1);
    for (const head of [HASH_A, detail]) expect(bad(readStartNode(store, head)).code).toBe("CHAIN_DAMAGED");
    expect(bad(workflowOfHead(without(store, start), steps[0]!))).toMatchObject({ node: start });
  });
});

describe("createLazyContext", () => {
  it("reads an output when it is looked at, once", async () => {
    const { store, steps, outputs } = await world(2);
    const chain = good(readChain(store, steps[1]!));
    const read: string[] = [];
    const get = (hash: Hash) => {
      read.push(hash);
      return store.get(hash);
    };
    const counting: Store = { ...store, get };
    const { context, damage } = createLazyContext(counting, chain);
    expect(read).toEqual([]);
    expect(context.steps.at(-1)?.output).toEqual(store.get(outputs[1]!)?.payload);
    expect(context.steps.at(-1)?.output).toBe(context.steps.at(-1)?.output);
    expect(read).toEqual([outputs[1]]);
    expect(damage()).toBeNull();
    expect(JSON.parse(JSON.stringify(context))).toEqual(good(readContext(store, chain)));
  });

  it("throws on access to an output that is gone, and says what is damaged", async () => {
    const { store, steps, outputs } = await world(2);
    const chain = good(readChain(store, steps[1]!));
    const { context, damage } = createLazyContext(without(store, outputs[0]!), chain);
    expect(() => context.steps[1]?.output).not.toThrow();
    expect(() => context.steps[0]?.output).toThrow("does not exist");
    expect(damage()).toMatchObject({ code: "CHAIN_DAMAGED", node: outputs[0] });
  });
});
