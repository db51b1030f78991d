import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore, type Hash, putSchema, type Store } from "@uncaged/json-cas";
import { putNode } from "@uncaged/workflow-store";
import { threadOf, writeStore } from "./long.js";

const TEXTS = { description: "d", goal: "g", capabilities: [], agent: null, procedure: "p", output: "o" };

/** 2026-01-31 08:00 UTC. */
const T0 = Date.UTC(2026, 0, 31, 8);
const MINUTE = 60_000;

const WORDS =
  "the port of a test that fails when its name has no value and nobody reads what it prints".split(" ");

/** Lines as files and logs have them: they come again, here and there with another number. */
const LINES = Array.from({ length: 300 }, (_, at) =>
  Array.from(
    { length: 9 },
    (_, word) => WORDS[(at * 7 + word * word * (at % 13) + word) % WORDS.length],
  ).join(" "),
);

/** So many characters that compress like files and logs. */
export function prose(seed: number, length: number): string {
  let state = (seed * 7919 + 1) % 65537;
  let text = "";
  while (text.length < length) {
    state = (state * 75 + 74) % 65537;
    text += `${LINES[state % LINES.length]}${state % 5 === 0 ? ` ${state}` : ""}\n`;
  }
  return text.slice(0, length);
}

/** A thread of writer and reviewer with so many steps, as agents with sessions and tools would have made it. */
export async function busyThread(root: string, count: number, characters: number): Promise<string> {
  const store = createMemoryStore();
  const meta = await putSchema(store, {
    type: "object",
    properties: { approved: { type: "boolean" }, comments: { type: "string" } },
  });
  const workflow = await putNode(store, "workflow", {
    name: "busy",
    description: "Writes, and has it reviewed.",
    roles: { writer: { ...TEXTS, meta }, reviewer: { ...TEXTS, meta } },
    conditions: { rejected: { description: "Sent back", expression: "steps[-1].output.approved = false" } },
    graph: {
      $START: [{ role: "writer", condition: null }],
      writer: [{ role: "reviewer", condition: null }],
      reviewer: [
        { role: "writer", condition: "rejected" },
        { role: "$END", condition: null },
      ],
    },
  });
  const start = await putNode(store, "startNode", { workflow, prompt: "Write it" });
  let head: Hash = start;
  let prev: Hash | null = null;
  for (let index = 0; index < count; index += 1) {
    const role = index % 2 === 0 ? "writer" : "reviewer";
    const output = await store.put(meta, { approved: false, comments: prose(index, 300) });
    const detail = await session(store, role, index, characters);
    prev = await putNode(store, "stepNode", {
      start,
      prev,
      role,
      output,
      detail,
      agent: "uwf-test --model m",
    });
    head = prev;
  }
  const thread = threadOf(T0, 1);
  mkdirSync(root, { recursive: true });
  writeStore(root, store);
  writeFileSync(join(root, "threads.yaml"), `${thread}: "${head}"\n`);
  return thread;
}

async function session(store: Store, role: string, index: number, characters: number): Promise<Hash> {
  const part = Math.floor(characters / 6);
  const text = (at: number) => putNode(store, "content", { text: prose(index * 10 + at, part) });
  const prompt = await text(0);
  const call = await putNode(store, "reactToolCall", {
    name: "read_file",
    arguments: await text(1),
    result: await text(2),
    durationMs: 12,
  });
  const turns = [
    await putNode(store, "reactTurn", {
      input: prompt,
      output: await text(3),
      toolCalls: [call],
      tokens: null,
      latencyMs: 900,
    }),
  ];
  const raw = await putNode(store, "content", {
    text: `---\napproved: false\n---\n${prose(index * 10 + 4, part)}`,
  });
  const usage = { inputTokens: 9000, outputTokens: 800, totalTokens: 9800, costUsd: 0.04 };
  const facts = {
    agent: "uwf-test",
    role,
    sessionId: "s",
    cwd: "/work",
    model: "m",
    prompt,
    turns,
    raw,
    usage,
  };
  return putNode(store, "reactSession", { ...facts, startedAt: T0 + index * MINUTE, durationMs: 50_000 });
}
