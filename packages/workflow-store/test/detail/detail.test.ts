import { createMemoryStore, type Hash, type Store } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { expandDetail, type MissingPart, putNode, readReply, sessionUsageIn } from "../../src/index.js";
import { bad, good, HASH_A } from "../support/index.js";

const USAGE = { inputTokens: 10, outputTokens: 5, totalTokens: 15, costUsd: null };

async function session() {
  const store = createMemoryStore();
  // Plain hashes: some tests put a reference to the wrong kind of node on purpose.
  const content = (text: string): Promise<Hash> => putNode(store, "content", { text: text });
  const call = await putNode(store, "reactToolCall", {
    name: "shell",
    arguments: await content('{"cmd":"ls"}'),
    result: await content("README.md"),
    durationMs: 7,
  });
  const turn = await putNode(store, "reactTurn", {
    input: await content("go"),
    output: await content("looking"),
    toolCalls: [call, call],
    tokens: null,
    latencyMs: null,
  });
  const raw = await content("the reply");
  const facts = {
    agent: "uwf-x",
    role: "developer",
    sessionId: null,
    cwd: null,
    model: null,
    startedAt: 1,
    durationMs: 2,
  };
  const hash: Hash = await putNode(store, "reactSession", {
    ...facts,
    prompt: await content("the prompt"),
    turns: [turn],
    raw,
    usage: USAGE,
  });
  return { store, hash, raw, turn, facts };
}

function without(store: Store, missing: Hash): Store {
  return { ...store, get: (hash) => (hash === missing ? null : store.get(hash)) };
}

describe("expandDetail", () => {
  it("puts content and react nodes in place of their hashes", async () => {
    const { store, hash, facts } = await session();
    const call = {
      name: "shell",
      arguments: { text: '{"cmd":"ls"}' },
      result: { text: "README.md" },
      durationMs: 7,
    };
    expect(good(expandDetail(store, hash))).toEqual({
      ...facts,
      prompt: { text: "the prompt" },
      raw: { text: "the reply" },
      usage: USAGE,
      turns: [
        {
          input: { text: "go" },
          output: { text: "looking" },
          toolCalls: [call, call],
          tokens: null,
          latencyMs: null,
        },
      ],
    });
  });

  it("gives a content node as it is", async () => {
    const { store, raw } = await session();
    expect(good(expandDetail(store, raw))).toEqual({ text: "the reply" });
  });

  it("expands output and detail of another thread's step, and leaves its start and prev hashes", async () => {
    const { store, raw, hash } = await session();
    const payload = { start: raw, prev: null, role: "a", output: raw, detail: hash, agent: "x" };
    const child: Hash = await putNode(store, "stepNode", payload);
    const inside = good(expandDetail(store, hash));
    const expanded = { ...payload, output: { text: "the reply" }, detail: inside };
    expect(good(expandDetail(store, child))).toEqual(expanded);
    const parent = await putNode(store, "stepNode", { ...payload, detail: child });
    expect(good(expandDetail(store, parent))).toEqual({ ...expanded, detail: expanded });
  });

  it("expands steps of threads within threads to a bounded depth", async () => {
    const { store, raw } = await session();
    let step: Hash = raw;
    for (let depth = 0; depth < 9; depth += 1) {
      step = await putNode(store, "stepNode", {
        start: raw,
        prev: null,
        role: "a",
        output: raw,
        detail: step,
        agent: "x",
      });
    }
    expect(JSON.stringify(good(expandDetail(store, step))).match(/"role"/g)).toHaveLength(5);
  });

  it("leaves a reference to an unexpected kind of node a hash", async () => {
    const { store, hash, facts } = await session();
    const odd = await putNode(store, "reactSession", {
      ...facts,
      prompt: hash,
      turns: [],
      raw: hash,
      usage: null,
    });
    expect(good(expandDetail(store, odd))).toMatchObject({ prompt: hash, raw: hash });
  });

  it("shows the rest around missing nodes, and reports them", async () => {
    const { store, hash, raw, facts } = await session();
    expect(bad(expandDetail(store, HASH_A)).code).toBe("NODE_MISSING");
    const told: MissingPart[] = [];
    const part = { missing: raw, reason: "does not exist" };
    const expanded = good(expandDetail(without(store, raw), hash, (gone) => told.push(gone)));
    expect(expanded).toMatchObject({ ...facts, raw: part, prompt: { text: "the prompt" } });
    expect(told).toEqual([part]);
  });
});

describe("readReply", () => {
  it("finds the text of a content node, a session, and a child thread's last step", async () => {
    const { store, hash, raw } = await session();
    const step = { start: raw, prev: null, role: "a", output: raw, detail: hash, agent: "x" };
    const child: Hash = await putNode(store, "stepNode", step);
    const parent = await putNode(store, "stepNode", { ...step, detail: child });
    for (const detail of [raw, hash, child, parent]) {
      expect(good(readReply(store, detail))).toBe("the reply");
    }
  });

  it("is null for a detail of another kind", async () => {
    const { store, turn } = await session();
    expect(good(readReply(store, turn))).toBeNull();
  });

  it("names what is missing; a sentence replaces a lost text", async () => {
    const { store, hash, raw } = await session();
    expect(bad(readReply(store, HASH_A))).toMatchObject({ code: "NODE_MISSING", referrer: null });
    expect(good(readReply(without(store, raw), hash))).toBe(
      `(The text of this reply, node ${raw}, is gone.)`,
    );
  });
});

describe("sessionUsageIn", () => {
  it("returns the session's usage, and null if it is unknown", async () => {
    const { store, hash, raw } = await session();
    const [detail, text] = [store.get(hash), store.get(raw)];
    expect([detail && sessionUsageIn(detail), text && sessionUsageIn(text)]).toEqual([USAGE, null]);
  });
});
