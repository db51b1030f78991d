import {
  computeHash,
  createMemoryStore,
  type Hash,
  META_SCHEMA_HASH,
  putSchema,
  type Store,
} from "@uncaged/json-cas";
import { LIMITS, STEP_NODE_SCHEMA, WORKFLOW_SCHEMA } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import {
  ensureTypes,
  putNode,
  readChainNode,
  readNode,
  readOutput,
  storedWorkflow,
  TYPE,
} from "../../src/index.js";
import { typeName } from "../../src/nodes.js";
import { bad, good, HASH_A, META, WORKFLOW } from "../support/index.js";

/** A store in which one node claims a type without having its shape, as a foreign writer may leave it. */
function withNode(store: Store, hash: Hash, type: Hash, payload: unknown): Store {
  // Without `undefined`, which no store has.
  const node = { type, payload: JSON.parse(JSON.stringify(payload)), timestamp: 1 };
  return { ...store, get: (wanted) => (wanted === hash ? node : store.get(wanted)) };
}

describe("TYPE", () => {
  it("is computed from the schemas, without a store", () => {
    expect(TYPE.workflow).toBe(computeHash(META_SCHEMA_HASH, WORKFLOW_SCHEMA));
    expect(TYPE.stepNode).toBe(computeHash(META_SCHEMA_HASH, STEP_NODE_SCHEMA));
    expect(new Set(Object.values(TYPE)).size).toBe(14);
  });

  it("stays what it is: it is part of the storage format", () => {
    expect(TYPE).toMatchInlineSnapshot(`
      {
        "answer": "8WJ3ZA8YHYXK4",
        "chunkedFile": "4ZDRYVFBG5YVF",
        "content": "016K8DJZ2QPQ8",
        "extractedSession": "2QQ43G6EVWRMW",
        "file": "6NVJGNS9Z48E0",
        "fileChunk": "3MDY18ZKPYXXY",
        "join": "7G98W3R48R0KY",
        "playedWorkflow": "8W5SXWTBHAMGB",
        "reactSession": "4QHFKNYC6XMS8",
        "reactToolCall": "DMWA54KB46E0X",
        "reactTurn": "78KDFX8Q5DHDQ",
        "startNode": "1ACG42ARBBGGM",
        "stepNode": "48PJ12JC509YP",
        "workflow": "1HMT7KFTYQX5H",
      }
    `);
  });

  it("is what ensureTypes stores, once", async () => {
    const store = createMemoryStore();
    await ensureTypes(store);
    const count = store.list().length;
    await ensureTypes(store);
    const missing = Object.values(TYPE).filter((type) => !store.has(type));
    // Those of files and joins come with the first of them.
    expect(missing).toEqual([TYPE.file, TYPE.chunkedFile, TYPE.fileChunk, TYPE.join]);
    expect(store.list()).toHaveLength(count);
  });
});

describe("writers and readers", () => {
  it("give back what was put, typed", async () => {
    const store = createMemoryStore();
    const workflow = await putNode(store, "workflow", WORKFLOW);
    const start = await putNode(store, "startNode", { workflow, prompt: "Fix it" });
    const detail = await putNode(store, "content", { text: "done" });
    const payload = { start, prev: null, role: "developer", output: detail, detail, agent: "uwf-x" };
    const step = await putNode(store, "stepNode", payload);
    expect(good(readNode(store, "workflow", workflow)).payload).toEqual(WORKFLOW);
    expect(good(readNode(store, "startNode", start)).payload).toEqual({ workflow, prompt: "Fix it" });
    expect(good(readNode(store, "stepNode", step)).payload).toEqual(payload);
    expect(good(readNode(store, "content", detail)).payload).toEqual({ text: "done" });
    expect(good(readOutput(store, detail))).toEqual({ text: "done" });
    expect(good(readChainNode(store, start)).kind).toBe("start");
    expect(good(readChainNode(store, step))).toMatchObject({ kind: "step", hash: step, payload });
  });

  it("store sessions with their turns and tool calls", async () => {
    const store = createMemoryStore();
    const text = await putNode(store, "content", { text: "x" });
    const call = await putNode(store, "reactToolCall", {
      name: "ls",
      arguments: text,
      result: text,
      durationMs: null,
    });
    const turn = await putNode(store, "reactTurn", {
      input: text,
      output: text,
      toolCalls: [call],
      tokens: { input: 1, output: 2 },
      latencyMs: 3,
    });
    const session = await putNode(store, "reactSession", {
      agent: "uwf-x",
      role: "developer",
      sessionId: null,
      cwd: null,
      model: null,
      prompt: text,
      turns: [turn],
      raw: text,
      usage: null,
      startedAt: 1,
      durationMs: 2,
    });
    expect(store.get(session)?.type).toBe(TYPE.reactSession);
  });

  it("refuse a payload that its schema does not allow, and store nothing", async () => {
    const store = createMemoryStore();
    await ensureTypes(store);
    const before = store.list().length;
    const wrong = { ...WORKFLOW, extra: 1 };
    await expect(putNode(store, "workflow", wrong)).rejects.toMatchObject({
      fault: { code: "INVALID_PAYLOAD" },
    });
    expect(store.list()).toHaveLength(before);
  });

  it("name what is missing", () => {
    const store = createMemoryStore();
    const named = (["workflow", "startNode", "stepNode", "content"] as const).map(
      (name) => () => readNode(store, name, HASH_A),
    );
    const others = [() => readChainNode(store, HASH_A), () => readOutput(store, HASH_A)];
    for (const read of [...named, ...others]) {
      expect(bad(read())).toEqual({ code: "NODE_MISSING", hash: HASH_A, referrer: null });
    }
  });

  it("say what a node of another type is", async () => {
    const store = createMemoryStore();
    const content: Hash = await putNode(store, "content", { text: "x" });
    const start = await putNode(store, "startNode", { workflow: content, prompt: "" });
    expect(bad(readNode(store, "workflow", content))).toMatchObject({ expected: "Workflow", got: "content" });
    expect(bad(readChainNode(store, content))).toMatchObject({
      code: "WRONG_NODE_TYPE",
      expected: "StartNode or StepNode",
      got: "content",
    });
    expect(bad(readNode(store, "stepNode", start))).toMatchObject({
      code: "WRONG_NODE_TYPE",
      got: "StartNode",
    });
  });

  it("name types by their schema's title, else by hash", async () => {
    const store = createMemoryStore();
    const titled = await putSchema(store, { title: "verdict", type: "string" });
    const untitled = await putSchema(store, { type: "string", maxLength: 9 });
    expect(typeName(store, TYPE.reactTurn)).toBe("react-turn");
    expect(typeName(store, titled)).toBe("verdict");
    expect(typeName(store, untitled)).toBe(`node of type ${untitled}`);
    expect(typeName(store, HASH_A)).toBe(`node of type ${HASH_A}`);
  });
});

describe("a foreign writer's node that claims a type without its shape", () => {
  const PLAIN = { ...WORKFLOW, ...storedWorkflow(WORKFLOW).payload };
  const { agent: _, ...role } = WORKFLOW.roles.developer!;

  it.each([
    ["no map", "Workflow", "the value: expected object"],
    ["a list", [], "the value: expected object"],
    ["no name", { ...PLAIN, name: undefined }, "/name: expected string, got nothing (required)"],
    ["a number as name", { ...PLAIN, name: 1 }, "/name: expected string, got 1 (type)"],
    ["a path as name", { ...PLAIN, name: "/tmp/page" }, "name is not the name of a workflow"],
    ["words of a shell as name", { ...PLAIN, name: "a; b" }, "name is not the name of a workflow"],
    [
      "words of a shell as a role's name",
      { ...PLAIN, roles: { "$(touch x)": role } },
      'roles has a role without the name of one: "$(touch x)"',
    ],
    [
      "an option as a role's name",
      { ...PLAIN, roles: { a: role, "--help": role } },
      'roles has a role without the name of one: "--help"',
    ],
    ["roles as list", { ...PLAIN, roles: [] }, "/roles: expected object"],
    [
      "a role without goal",
      { ...PLAIN, roles: { a: { ...role, goal: undefined } } },
      "/roles/a/goal: expected string, got nothing (required)",
    ],
    [
      "a meta that is no hash",
      { ...PLAIN, roles: { a: { ...role, meta: "x" } } },
      "/roles/a/meta: expected a hash of a node",
    ],
    [
      "a capability that is no text",
      { ...PLAIN, roles: { a: { ...role, capabilities: ["x", null] } } },
      "/roles/a/capabilities/1: expected string, got null (type)",
    ],
    ["a graph entry that is no list", { ...PLAIN, graph: { a: {} } }, "/graph/a: expected array"],
    [
      "a condition that is a number",
      { ...PLAIN, graph: { a: [{ role: "b", condition: 1 }] } },
      "/graph/a/0/condition: expected",
    ],
    [
      "a field of the prototype",
      { ...PLAIN, graph: undefined, constructor: 1 },
      "/graph: expected object, got nothing (required)",
    ],
  ])("is damaged: a workflow with %s", (_, payload, reason) => {
    const store = withNode(createMemoryStore(), HASH_A, TYPE.workflow, payload);
    expect(bad(readNode(store, "workflow", HASH_A))).toMatchObject({
      code: "NODE_DAMAGED",
      hash: HASH_A,
      reason: expect.stringContaining(reason),
    });
  });

  it.each(["/tmp/other.yaml", "../other", "other.yaml", "--help", "", "Other"])(
    "is damaged: a workflow whose role is played by the workflow %j",
    (name) => {
      const agent = {
        workflow: { name, each: null, jobs: 1, partial: false, output: null, prompt: "role" },
      };
      const payload = { ...PLAIN, roles: { a: { ...role, agent } } };
      const store = withNode(createMemoryStore(), HASH_A, TYPE.playedWorkflow, payload);
      expect(bad(readNode(store, "workflow", HASH_A))).toMatchObject({
        code: "NODE_DAMAGED",
        reason: "roles.a.agent.workflow.name is not the name of a workflow, or a hash",
      });
    },
  );

  it("is damaged: a start with a longer prompt than any thread is started with", () => {
    const payload = { workflow: META, prompt: "x".repeat(LIMITS.prompt + 1) };
    const store = withNode(createMemoryStore(), HASH_A, TYPE.startNode, payload);
    const reason = `prompt is longer than ${LIMITS.prompt} characters`;
    expect(bad(readNode(store, "startNode", HASH_A))).toMatchObject({ code: "NODE_DAMAGED", reason });
    expect(bad(readChainNode(store, HASH_A))).toMatchObject({ code: "NODE_DAMAGED", reason });
  });

  it.each([
    [
      "no start",
      { start: undefined },
      "/start: expected a hash of a node (13 characters), got nothing (required)",
    ],
    [
      "a start that is no hash",
      { start: "zzz" },
      '/start: expected a hash of a node (13 characters), got "zzz" (format)',
    ],
    ["a prev that is a number", { prev: 0 }, "/prev: expected string or null, got 0 (anyOf)"],
    [
      "no prev",
      { prev: undefined },
      "/prev: expected a hash of a node (13 characters) or null, got nothing (required)",
    ],
    ["a role that is null", { role: null }, "/role: expected string, got null (type)"],
  ])("is damaged: a step with %s", (_, change, reason) => {
    const step = { start: META, prev: null, role: "a", output: META, detail: META, agent: "x", ...change };
    const store = withNode(createMemoryStore(), HASH_A, TYPE.stepNode, step);
    expect(bad(readNode(store, "stepNode", HASH_A))).toMatchObject({ code: "NODE_DAMAGED", reason });
    expect(bad(readChainNode(store, HASH_A))).toMatchObject({ code: "NODE_DAMAGED", reason });
  });
});
