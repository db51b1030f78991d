import { writeFileSync } from "node:fs";
import { type Hash, putSchema } from "@uncaged/json-cas";
import { type FsStore, fsStoreFile } from "@uncaged/json-cas-fs";
import type { StepNodePayload } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { openHistory, putNode, recordedIn, type Storage, verifyStep } from "../../src/index.js";
import { addStep, bad, good, HASH_A, HASH_B, META, startThread, tempStorage } from "../support/index.js";

async function world() {
  const storage = tempStorage();
  const { start, workflow } = await startThread(storage);
  const first = await addStep(storage, start);
  const output = await storage.cas.put(META, { done: true });
  const detail = await putNode(storage.cas, "content", { text: "x" });
  const step: StepNodePayload = { start, prev: first, role: "developer", output, detail, agent: "a" };
  const expected = { head: first, startHash: start, role: "developer", meta: META, isRecorded: () => false };
  return { storage, store: storage.cas, start, workflow, first, output, detail, step, expected };
}

type World = Awaited<ReturnType<typeof world>>;

/** The same store after a foreign writer left a node that its schema refuses. */
function withPayload(store: FsStore, hash: Hash, payload: unknown): FsStore {
  const node = { ...store.get(hash)!, payload: payload as never };
  return { ...store, get: (wanted) => (wanted === hash ? node : store.get(wanted)) };
}

function damage(storage: Storage, hash: Hash): void {
  writeFileSync(fsStoreFile(storage.paths.cas, hash), "damaged");
}

describe("verifyStep", () => {
  it("accepts the step that follows the head, in lower case too", async () => {
    const { store, step, expected } = await world();
    const hash = await putNode(store, "stepNode", step);
    expect(good(verifyStep(store, { hash, ...expected }))).toMatchObject({ hash, payload: step });
    expect(good(verifyStep(store, { hash: hash.toLowerCase(), ...expected })).hash).toBe(hash);
  });

  it("accepts a first step: no prev, and the head is its start", async () => {
    const { store, step, expected, start } = await world();
    const hash = await putNode(store, "stepNode", { ...step, prev: null });
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
      async (w: World) => ({ prev: await putNode(w.store, "stepNode", w.step) }),
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
    const hash = await putNode(w.store, "stepNode", { ...w.step, ...(await change(w)) });
    expect(bad(verifyStep(w.store, { hash, ...w.expected }))).toMatch(reason);
  });

  async function otherStart({ store, workflow }: World): Promise<Hash> {
    return putNode(store, "startNode", { workflow, prompt: "Another" });
  }

  async function verdict({ store }: World): Promise<Hash> {
    return store.put(await putSchema(store, { title: "verdict", type: "string" }), "yes");
  }

  it("refuses a step that follows a step when the thread is at its start", async () => {
    const { store, step, expected, start } = await world();
    const hash = await putNode(store, "stepNode", step);
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
    const hash = await putNode(store, "stepNode", step);
    const foreign = withPayload(store, output, { done: "yes" });
    expect(bad(verifyStep(foreign, { hash, ...expected }))).toMatch(
      /violates the meta .*\/done: expected boolean/,
    );
  });

  it.each(["step", "output", "detail"] as const)(
    "refuses a %s whose bytes do not match its hash",
    async (which) => {
      const { storage, store, step, expected } = await world();
      const hash = await putNode(store, "stepNode", step);
      damage(storage, which === "step" ? hash : step[which]);
      expect(bad(verifyStep(tempStorage(storage.root).cas, { hash, ...expected }))).toMatch(/damaged/);
    },
  );

  const PLAN = {
    title: "plan",
    type: "object",
    required: ["phases"],
    properties: { phases: { type: "array", items: { type: "string", format: "cas_ref" } } },
  } as const;

  /** A step whose output refers to `phases`, where the role's meta is a plan. */
  async function planned({ store, step, expected }: World, phases: readonly Hash[]) {
    const meta = await putSchema(store, PLAN);
    const hash = await putNode(store, "stepNode", { ...step, output: await store.put(meta, { phases }) });
    return { ...expected, hash, meta };
  }

  it("refuses an output that refers to a node that does not exist, and names the field", async () => {
    const w = await world();
    const expected = await planned(w, [w.detail, HASH_A]);
    expect(bad(verifyStep(w.store, expected))).toBe(`its output/phases/1 ${HASH_A} does not exist`);
    expect(verifyStep(w.store, await planned(w, [w.detail, w.start])).ok).toBe(true);
  });

  it("refuses a node that is missing, damaged or of another type far below the detail", async () => {
    const w = await world();
    const { store, step, detail, start, first } = w;
    const call = { name: "shell", arguments: detail, result: HASH_A, durationMs: null };
    const toolCall = await putNode(store, "reactToolCall", call);
    const turn = { input: detail, output: detail, toolCalls: [toolCall], tokens: null, latencyMs: null };
    const session = {
      ...SESSION,
      prompt: start as Hash,
      raw: HASH_B,
      turns: [await putNode(store, "reactTurn", turn), first],
    };
    const hash = await putNode(store, "stepNode", {
      ...step,
      detail: await putNode(store, "reactSession", session),
    });
    expect(bad(verifyStep(store, { ...w.expected, hash })).split("; ")).toEqual([
      `its detail/raw ${HASH_B} does not exist`,
      `its detail/turns/1 ${first} is a StepNode, expected a react-turn`,
      `its detail/prompt ${start} is a StartNode, expected a content`,
      `its detail/turns/0/toolCalls/0/result ${HASH_A} does not exist`,
    ]);
    damage(w.storage, toolCall);
    expect(bad(verifyStep(tempStorage(w.storage.root).cas, { ...w.expected, hash }))).toMatch(
      new RegExp(`its detail/turns/0/toolCalls/0 ${toolCall} cannot be read: .*damaged`),
    );
  });

  it("looks no further at what the thread has recorded, and does not read a history without need", async () => {
    const w = await world();
    const { store, storage } = w;
    const meta = await putSchema(store, PLAN);
    // An older version has recorded this one.
    const broken = await store.put(meta, { phases: [HASH_A] });
    const second = await putNode(store, "stepNode", { ...w.step, output: broken });
    const third = await addStep(storage, second);
    const history = good(openHistory(store, third));
    const expected = { ...w.expected, head: third, isRecorded: recordedIn(history) };
    const refers = async (phases: readonly Hash[]) => {
      const output = await store.put(meta, { phases });
      return {
        ...expected,
        meta,
        hash: await putNode(store, "stepNode", { ...w.step, prev: third, output }),
      };
    };
    expect(verifyStep(store, await refers([broken, second, third])).ok).toBe(true);
    const copy = await store.put(meta, { phases: [broken, HASH_A] });
    expect(bad(verifyStep(store, await refers([copy])))).toBe(
      `its output/phases/0/phases/1 ${HASH_A} does not exist`,
    );
    const text = await putNode(store, "content", { text: "a new text" });
    const reads = countingReads(store);
    const isRecorded = recordedIn(good(openHistory(reads.store, third)));
    reads.forget();
    const leaf = await refers([text]);
    expect(verifyStep(reads.store, { ...leaf, isRecorded }).ok).toBe(true);
    expect(reads.of()).not.toContain(second);
  });

  it("reads a step without references, its output and its detail, and nothing else", async () => {
    const { store, step, expected } = await world();
    const hash = await putNode(store, "stepNode", step);
    verifyStep(store, { hash, ...expected });
    const reads = countingReads(store);
    expect(verifyStep(reads.store, { hash, ...expected }).ok).toBe(true);
    expect(reads.of()).toEqual([hash, step.output, step.detail]);
  });

  function countingReads(store: FsStore) {
    const read: Hash[] = [];
    const counted =
      <T>(look: (hash: Hash) => T) =>
      (hash: Hash): T => {
        read.push(hash);
        return look(hash);
      };
    const reading = { ...store, get: counted(store.get) };
    return { store: reading, of: () => read, forget: () => read.splice(0) };
  }
});

const SESSION = {
  ...{ agent: "a", role: "developer", sessionId: null, cwd: null, model: null, usage: null },
  ...{ startedAt: 1, durationMs: 1 },
} as const;
