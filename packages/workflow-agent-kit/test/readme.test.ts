import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentDefinition } from "../src/author/index.js";
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

/** The definitions that the README's programs hand to createAgent. */
function definitionInReadme(place = 0): AgentDefinition {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const programs = [...readme.matchAll(/```js\n[\s\S]*?await createAgent\(([\s\S]*?)\)\(\);\n```/g)];
  return new Function("openModel", `return ${programs[place]?.[1]}`)(openModel) as AgentDefinition;
}

describe("the README", () => {
  it("shows an agent in ten lines that makes a valid step", async () => {
    const host = makeHost([made.thread, "reviewer"], made.root);
    expect(await runAgent(definitionInReadme(), host)).toBe(0);
    expect(host.written.out).toMatch(/^[0-9A-Z]{13}\n$/);
  });

  it("shows an agent that asks a model of config.yaml", async () => {
    const server = await startServer([says("---\napproved: true\n---\nFine.")]);
    const config = `providers: { local: { baseUrl: "${server.baseUrl}" } }
models: { small: { provider: local, name: small-1 } }
defaultModel: small
`;
    writeFileSync(join(made.root, "config.yaml"), config);
    const host = makeHost([made.thread, "reviewer"], made.root);
    const code = await runAgent(definitionInReadme(1), host);
    await server.close();
    expect(host.written.err).toBe("");
    expect(code).toBe(0);
    expect(server.received[0]?.body.messages[0]?.content).toContain("Fix the bug.");
  });
});
