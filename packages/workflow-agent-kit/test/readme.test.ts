import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentDefinition } from "../src/author.js";
import { openModel } from "../src/index.js";
import { runAgent } from "../src/main/index.js";
import { makeHost } from "./helpers/host.js";
import { makeThread, REVIEW_META, type TestThread } from "./helpers/thread.js";
import { says, startServer } from "./llm/fake-server.js";

let made: TestThread;

beforeAll(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterAll(() => made.remove());

/** What the program in a file hands to createAgent. */
function definitionIn(file: string): AgentDefinition {
  const text = readFileSync(join(import.meta.dirname, file), "utf8");
  const [, definition] = /await createAgent\(([\s\S]*?)\)\(\);\n/.exec(text) ?? [];
  return new Function("openModel", `return ${definition}`)(openModel) as AgentDefinition;
}

describe("the agents that the README shows, or leads to", () => {
  it("make a valid step in ten lines", async () => {
    const host = makeHost([made.thread, "reviewer"], made.root);
    expect(await runAgent(definitionIn("../README.md"), host)).toBe(0);
    expect(host.written.out).toMatch(/^[0-9A-Z]{13}\n$/);
  });

  it("ask a model of config.yaml: examples/agents/uwf-ask.mjs", async () => {
    const server = await startServer([says("---\napproved: true\n---\nFine.")]);
    const config = `providers: { local: { baseUrl: "${server.baseUrl}" } }
models: { small: { provider: local, name: small-1 } }
defaultModel: small
`;
    writeFileSync(join(made.root, "config.yaml"), config);
    const host = makeHost([made.thread, "reviewer"], made.root);
    const code = await runAgent(definitionIn("../../../examples/agents/uwf-ask.mjs"), host);
    await server.close();
    expect(host.written.err).toBe("");
    expect(code).toBe(0);
    expect(server.received[0]?.body.messages[0]?.content).toContain("Fix the bug.");
  });
});
