import { createMemoryStore, type Hash, type Store } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { openHistory, putNode } from "../../src/index.js";
import { bad, good, WORKFLOW } from "../support/index.js";

async function threadOf(length: number) {
  const store = createMemoryStore();
  const workflow = await putNode(store, "workflow", WORKFLOW);
  const start = await putNode(store, "startNode", { workflow, prompt: "Fix it" });
  const detail = await putNode(store, "content", { text: "what happened" });
  const steps: Hash[] = [];
  for (let index = 0; index < length; index += 1) {
    const prev = steps.at(-1) ?? null;
    const role = `role-${index}`;
    steps.push(await putNode(store, "stepNode", { start, prev, role, output: detail, detail, agent: "a" }));
  }
  return { store, start, steps, head: steps.at(-1) ?? start };
}

/** The store, and what was read from it. */
function watched(store: Store): { readonly store: Store; readonly reads: Hash[] } {
  const reads: Hash[] = [];
  const get = (hash: Hash) => {
    reads.push(hash);
    return store.get(hash);
  };
  return { store: { ...store, get }, reads };
}

describe("openHistory", () => {
  it("reads the newest step, the start and the workflow, however long the thread is", async () => {
    const { store, head, steps } = await threadOf(200);
    const seen = watched(store);
    const history = good(openHistory(seen.store, head));
    expect(history.newest?.payload.role).toBe("role-199");
    expect(good(history.last(1)).map(({ hash }) => hash)).toEqual([steps[199]]);
    expect(seen.reads).toHaveLength(3);
  });

  it("reads each step once, as far back as somebody asks", async () => {
    const { store, head, steps } = await threadOf(20);
    const seen = watched(store);
    const { last } = good(openHistory(seen.store, head));
    const opened = seen.reads.length;
    expect(good(last(3)).map(({ hash }) => hash)).toEqual(steps.slice(-3));
    expect(good(last(2)).map(({ hash }) => hash)).toEqual(steps.slice(-2));
    expect(seen.reads.length - opened).toBe(2);
    expect(good(last(null)).map(({ hash }) => hash)).toEqual(steps);
    expect(good(last(50)).map(({ hash }) => hash)).toEqual(steps);
    expect(seen.reads.length - opened).toBe(19);
  });

  it("gives the steps since one that is known, without reading that one", async () => {
    const { store, head, steps } = await threadOf(20);
    const seen = watched(store);
    const { since, last } = good(openHistory(seen.store, head));
    const opened = seen.reads.length;
    const after = (n: number) => good(since((hash) => hash === steps[n]));
    expect(after(16)).toMatchObject({ known: steps[16], steps: steps.slice(17).map((hash) => ({ hash })) });
    expect(after(18).steps).toHaveLength(1);
    expect(after(19)).toEqual({ known: head, steps: [] });
    expect(seen.reads.slice(opened)).toEqual([steps[18], steps[17]]);
    expect(good(last(5))).toHaveLength(5);
    expect(after(0).steps).toHaveLength(19);
    expect(good(since(() => false))).toMatchObject({ known: null, steps: { length: 20 } });
    expect(seen.reads.length - opened).toBe(19);
  });

  it("has no steps where the head is a start", async () => {
    const { store, start } = await threadOf(0);
    const history = good(openHistory(store, start));
    expect(history.newest).toBeNull();
    expect(good(history.last(null))).toEqual([]);
    expect(good(history.since(() => true))).toEqual({ known: null, steps: [] });
  });

  it("finds damage where it is read, and not before", async () => {
    const { store, head, steps } = await threadOf(5);
    const lame: Store = { ...store, get: (hash) => (hash === steps[1] ? null : store.get(hash)) };
    const { last, since } = good(openHistory(lame, head));
    expect(good(last(3))).toHaveLength(3);
    expect(bad(last(4))).toMatchObject({ code: "CHAIN_DAMAGED", head, node: steps[1] });
    expect(good(since((hash) => hash === steps[1])).steps).toHaveLength(3);
    expect(bad(since((hash) => hash === steps[0]))).toMatchObject({ code: "CHAIN_DAMAGED", node: steps[1] });
  });
});
