import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, type Hash, putSchema, type Store } from "@uncaged/json-cas";
import { programOf, type ReactSessionPayload, type ThreadId } from "@uncaged/workflow-protocol";
import { openStorage, putNode, readNode } from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { afterAll, describe, expect, it } from "vitest";
import { findVisit, sessionUsage } from "../../src/resume.js";
import type { OpenThread } from "../../src/thread.js";

const SELF = { name: "uwf-test", program: "uwf-test" };
const VISITOR = { agent: SELF, role: "developer", cwd: "/work", attempts: [] };
const OWNER = { agent: SELF, role: "developer", sessionId: "s-1" };

type Told = Partial<Pick<ReactSessionPayload, "agent" | "sessionId" | "cwd" | "usage">>;

/** A line of the log about a step; what it does not name is what the step says. */
type Line = Readonly<Record<string, unknown>>;

/**
 * One step of a history: its role, its agent, and its session; without one its detail is a text. `log`: how uwf's line
 * about it differs; `null`: no run of this root gave it.
 */
type Given = {
  readonly role: string;
  readonly agent?: string;
  readonly session?: Told;
  readonly log?: Line | null;
};

const folder = mkdtempSync(join(tmpdir(), "uwf-visit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A storage root with these lines in its log. */
function rootWith(lines: readonly Line[]): string {
  const root = mkdtempSync(join(folder, "root-"));
  mkdirSync(join(root, "logs"));
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(join(root, "logs", `${new Date().toISOString().slice(0, 10)}.jsonl`), text);
  return root;
}

const usage = (inputTokens: number, costUsd: number | null = null) => ({
  inputTokens,
  outputTokens: 1,
  totalTokens: inputTokens + 1,
  costUsd,
});

async function detailOf(cas: Store, { role, session }: Given): Promise<Hash> {
  const content = await putNode(cas, "content", { text: "x" });
  if (session === undefined) return content;
  const told = { agent: "uwf-test", model: null, turns: [], startedAt: 1, durationMs: 1 };
  return putNode(cas, "reactSession", {
    ...{ ...told, role, prompt: content, raw: content, usage: null, sessionId: "s-1", cwd: "/work" },
    ...session,
  });
}

/** A thread with this history, oldest first, and how many nodes of it have been read. */
async function opened(history: readonly Given[], createdAt = 1) {
  const memory = createMemoryStore();
  const nothing = await memory.put(await putSchema(memory, { type: "object" }), {});
  let prev: Hash | null = null;
  const thread: ThreadId = await newThreadId(createdAt);
  const lines: Line[] = [];
  for (const given of history) {
    const detail = await detailOf(memory, given);
    const step = {
      start: nothing,
      role: given.role,
      output: nothing,
      detail,
      agent: given.agent ?? "uwf-test",
    };
    prev = await putNode(memory, "stepNode", { ...step, prev });
    const { sessionId = "s-1", cwd = "/work" } = given.session ?? { sessionId: null };
    const told = { step: prev, role: given.role, agent: programOf(step.agent), sessionId, cwd };
    const line = { tag: "7Q2M4KXA", content: "recorded", timestamp: Date.now() + 60_000, thread };
    if (given.log !== null) lines.push({ ...line, outcome: "step", ...told, ...given.log });
  }
  const last = prev === null ? null : readNode(memory, "stepNode", prev);
  let reads = 0;
  const get: Store["get"] = (hash) => {
    reads += 1;
    return memory.get(hash);
  };
  const storage = { ...openStorage(rootWith(lines), { now: () => 0 }), cas: { ...memory, get } };
  const ends = { start: { timestamp: 0 }, last: last?.ok ? last.value : null };
  const open = { storage, thread, head: nothing, ...ends } as unknown as OpenThread;
  return { open, reads: () => reads };
}

const developer: Given = { role: "developer", session: {} };
const reviewer: Given = { role: "reviewer" };
const many = (count: number): readonly Given[] => Array.from({ length: count }, () => reviewer);

describe("the last visit", () => {
  it("is found by reading no further back than it is", async () => {
    const { open, reads } = await opened([...many(500), developer, reviewer, reviewer]);
    const visit = findVisit(open, VISITOR);
    expect(visit).toMatchObject({ kind: "session", sessionId: "s-1", since: [{}, {}] });
    expect(reads()).toBe(3);
  });

  it("is not searched for in all of a long history", async () => {
    const { open, reads } = await opened([developer, ...many(600)]);
    expect(findVisit(open, VISITOR)).toEqual({ kind: "none" });
    expect(reads()).toBeLessThanOrEqual(256);
  });

  it("was no visit of this thread where it is older than the thread", async () => {
    const { open, reads } = await opened([developer, reviewer], Date.now() + 60_000);
    expect(findVisit(open, VISITOR)).toEqual({ kind: "none" });
    expect(reads()).toBe(0);
  });

  it.each([
    ["the detail is a text", { role: "developer" }, "none"],
    ["there is no session id", { role: "developer", session: { sessionId: null } }, "none"],
    ["its folder is not known", { role: "developer", session: { cwd: null } }, "none"],
    ["its folder is another one", { role: "developer", session: { cwd: "/home" } }, "elsewhere"],
  ] as const)("decides alone: %s", async (_what, newest, kind) => {
    const { open } = await opened([developer, newest]);
    expect(findVisit(open, VISITOR).kind).toBe(kind);
  });
});

describe("a session that only a node names", () => {
  const stranger = { sessionId: "s-1", cwd: "/work" };

  it.each<readonly [string, Line | null]>([
    ["no run of this root gave the step: it was imported, fetched, or written by hand", null],
    [
      "the run was of another thread: this one has its steps from an import",
      { thread: "01KAJ5E8Q0W8YB0000000000AA" },
    ],
    ["the run was of another role", { role: "reviewer" }],
    ["the run was of another agent", { agent: "/usr/bin/uwf-other" }],
    ["the run reported no session", { sessionId: null, cwd: null }],
    ["the run gave no step", { outcome: "failed" }],
    ["the run reported what is no id", { sessionId: "--mcp-config={}" }],
    ["the run reported a path", { sessionId: "../other.jsonl" }],
    ["the run reported a text without end", { sessionId: "a".repeat(129) }],
    ["the run reported a folder that depends on who reads it", { cwd: "." }],
    ["the line has no folder", { cwd: null }],
  ])("is not continued: %s", async (_what, log) => {
    const { open } = await opened([{ role: "developer", session: stranger, log }]);
    expect(findVisit(open, VISITOR)).toEqual({ kind: "none" });
  });

  it("does not replace the one that the run reported", async () => {
    const { open } = await opened([
      { role: "developer", session: { sessionId: "-x", cwd: "." }, log: { sessionId: "s-2", cwd: "/work" } },
    ]);
    expect(findVisit(open, VISITOR)).toMatchObject({ kind: "session", sessionId: "s-2" });
  });
});

describe("a step of this agent", () => {
  const visitor = { ...VISITOR, agent: { name: "uwf-test", program: "npx" } };
  const own = (agent: string, session?: Told): Given => ({
    role: "developer",
    agent,
    session: session ?? {},
  });

  it.each([
    ["the same command", "npx uwf-test"],
    ["other arguments", "npx uwf-test --model small"],
    ["another folder", "'/my tools/npx' uwf-test"],
    ["the name alone, as an older uwf wrote it", "uwf-test"],
  ])("tells %s", async (_what, agent) => {
    const { open } = await opened([own(agent, { usage: usage(10) }), reviewer]);
    expect(findVisit(open, visitor)).toMatchObject({ kind: "session", sessionId: "s-1" });
    expect(sessionUsage(open, { ...visitor, sessionId: "s-1" })).toEqual(usage(10));
  });

  it.each([
    ["another program", own("uwf-other")],
    ["another agent that the same program runs", own("npx uwf-other", { agent: "uwf-other" })],
  ])("does not tell %s", async (_what, other) => {
    const { open } = await opened([other]);
    expect(findVisit(open, visitor)).toEqual({ kind: "none" });
    expect(sessionUsage(open, { ...visitor, sessionId: "s-1" })).toBeNull();
    const { open: after } = await opened([own("npx uwf-test"), other]);
    expect(findVisit(after, visitor)).toMatchObject({ kind: "session", since: [{}] });
  });
});

describe("what a session has used up before", () => {
  const used = (told: Told): Given => ({ role: "developer", session: told });

  it("is the sum of its steps", async () => {
    const { open } = await opened([
      used({ sessionId: "s-0", usage: usage(1000) }),
      used({ usage: usage(10, 0.5) }),
      reviewer,
      used({ usage: usage(20, 0.25) }),
    ]);
    expect(sessionUsage(open, OWNER)).toEqual({ ...usage(30, 0.75), outputTokens: 2, totalTokens: 32 });
  });

  it("is nothing that only nodes tell: they may be an import's", async () => {
    const told = [usage(1000), null].map((strange) => ({ ...used({ usage: strange }), log: null }));
    const { open } = await opened([...told, used({ usage: usage(10) }), ...told, used({ usage: usage(20) })]);
    expect(sessionUsage(open, OWNER)).toEqual({ ...usage(30, null), outputTokens: 2, totalTokens: 32 });
    expect(sessionUsage((await opened(told)).open, OWNER)).toBeNull();
    const other = { ...used({ usage: usage(1000) }), log: { sessionId: "s-2" } };
    expect(sessionUsage((await opened([other, used({ usage: usage(10) })])).open, OWNER)).toEqual(usage(10));
  });

  it("is unknown if a step does not record it, there is none, or there may be more", async () => {
    for (const history of [
      [used({ usage: usage(10) }), used({})],
      [reviewer],
      [used({ usage: usage(1) }), ...many(300)],
      [...many(300), used({ usage: usage(1) })],
    ]) {
      expect(sessionUsage((await opened(history)).open, OWNER)).toBeNull();
    }
  });
});
