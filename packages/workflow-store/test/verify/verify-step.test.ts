import { writeFileSync } from "node:fs";
import { type Hash, putSchema, type Store } from "@uncaged/json-cas";
import { fsStoreFile } from "@uncaged/json-cas-fs";
import type { StepNodePayload } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { putContent, putStart, putStep, type Storage, verifyStep } from "../../src/index.js";
import { addStep, bad, good, HASH_A, META, startThread, tempStorage } from "../support/index.js";

async function world() {
  const storage = tempStorage();
  const { start, workflow } = await startThread(storage);
  const first = await addStep(storage, start);
  const output = await storage.cas.put(META, { done: true });
  const detail = await putContent(storage.cas, "x");
  const step: StepNodePayload = { start, prev: first, role: "developer", output, detail, agent: "a" };
  const expected = { head: first, startHash: start, role: "developer", meta: META };
  return { storage, store: storage.cas, start, workflow, first, output, detail, step, expected };
}

type World = Awaited<ReturnType<typeof world>>;

/** The same store after a foreign writer left a node that its schema refuses. */
function withPayload(store: Store, hash: Hash, payload: unknown): Store {
  const node = { ...store.get(hash)!, payload: payload as never };
  return { ...store, get: (wanted) => (wanted === hash ? node : store.get(wanted)) };
}

function damage(storage: Storage, hash: Hash): void {
  writeFileSync(fsStoreFile(storage.paths.cas, hash), "damaged");
}

describe("verifyStep", () => {
  it("accepts the step that follows the head, in lower case too", async () => {
    const { store, step, expected } = await world();
    const hash = await putStep(store, step);
    expect(good(verifyStep(store, { hash, ...expected }))).toMatchObject({ hash, payload: step });
    expect(good(verifyStep(store, { hash: hash.toLowerCase(), ...expected })).hash).toBe(hash);
  });

  it("accepts a first step: no prev, and the head is its start", async () => {
    const { store, step, expected, start } = await world();
    const hash = await putStep(store, { ...step, prev: null });
    expect(verifyStep(store, { hash, ...expected, head: start }).ok).toBe(true);
  });

  it.each([
    [
      "its start is another one",
      async (w: World) => ({ start: await otherStart(w) }),
      /^its start is \w+, expected \w+$/,
    ],
    [
      "its role is another one",
      async () => ({ role: "reviewer" }),
      /its role is "reviewer", expected "developer"/,
    ],
    ["it follows nothing though there are steps", async () => ({ prev: null }), /its prev is null, expected/],
    [
      "it follows another step",
      async (w: World) => ({ prev: await putStep(w.store, w.step) }),
      /its prev is/,
    ],
    [
      "it follows its start by name",
      async (w: World): Promise<{ prev: Hash }> => ({ prev: w.start }),
      /its prev is/,
    ],
    [
      "its output does not exist",
      async () => ({ output: HASH_A }),
      /its output 0123456789ABC does not exist/,
    ],
    [
      "its output is of another type",
      async (w: World) => ({ output: w.detail }),
      /is a content .* expected the meta/,
    ],
    ["its output is of another role", async (w: World) => ({ output: await verdict(w) }), /is a verdict/],
    [
      "its detail does not exist",
      async () => ({ detail: HASH_A }),
      /its detail 0123456789ABC does not exist/,
    ],
  ])("refuses a step when %s", async (_, change, reason) => {
    const w = await world();
    const hash = await putStep(w.store, { ...w.step, ...(await change(w)) });
    expect(bad(verifyStep(w.store, { hash, ...w.expected }))).toMatch(reason);
  });

  async function otherStart({ store, workflow }: World): Promise<Hash> {
    return putStart(store, { workflow, prompt: "Another" });
  }

  async function verdict({ store }: World): Promise<Hash> {
    return store.put(await putSchema(store, { title: "verdict", type: "string" }), "yes");
  }

  it("refuses a step that follows a step when the thread is at its start", async () => {
    const { store, step, expected, start } = await world();
    const hash = await putStep(store, step);
    expect(bad(verifyStep(store, { hash, ...expected, head: start }))).toMatch(/expected null/);
  });

  it("refuses the head itself, printed again", async () => {
    const { store, expected, first } = await world();
    expect(bad(verifyStep(store, { hash: first, ...expected }))).toMatch(/its prev is null/);
  });

  it.each([
    ["no hash", "done!", /"done!" is not a hash/],
    ["nothing", "", /"" is not a hash/],
    ["a hash of nothing", HASH_A, /^it does not exist$/],
  ])("refuses %s", async (_, hash, reason) => {
    const { store, expected } = await world();
    expect(bad(verifyStep(store, { hash, ...expected }))).toMatch(reason);
  });

  it("refuses a node of another kind", async () => {
    const { store, expected, start, detail } = await world();
    expect(bad(verifyStep(store, { hash: start, ...expected }))).toMatch(
      /^it is a StartNode, not a StepNode$/,
    );
    expect(bad(verifyStep(store, { hash: detail, ...expected }))).toMatch(
      /^it is a content, not a StepNode$/,
    );
  });

  it("refuses an output that its type's schema refuses", async () => {
    const { store, step, expected, output } = await world();
    const hash = await putStep(store, step);
    const foreign = withPayload(store, output, { done: "yes" });
    expect(bad(verifyStep(foreign, { hash, ...expected }))).toMatch(
      /violates the meta .*\/done: expected boolean/,
    );
  });

  it.each(["step", "output", "detail"] as const)(
    "refuses a %s whose bytes do not match its hash",
    async (which) => {
      const { storage, store, step, expected } = await world();
      const hash = await putStep(store, step);
      damage(storage, which === "step" ? hash : step[which]);
      expect(bad(verifyStep(tempStorage(storage.root).cas, { hash, ...expected }))).toMatch(/damaged/);
    },
  );
});
