import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentDefinition } from "../src/author/index.js";
import { runAgent } from "../src/main/index.js";
import { makeHost } from "./helpers/host.js";
import { makeThread, REVIEW_META, type TestThread } from "./helpers/thread.js";

let made: TestThread;

beforeAll(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterAll(() => made.remove());

/** The definition that the README's program hands to createAgent. */
function definitionInReadme(): AgentDefinition {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const code = /```js\n[\s\S]*?await createAgent\(([\s\S]*?)\)\(\);\n```/.exec(readme)?.[1];
  return new Function(`return ${code}`)() as AgentDefinition;
}

describe("the README", () => {
  it("shows an agent in ten lines that makes a valid step", async () => {
    const host = makeHost([made.thread, "reviewer"], made.root);
    expect(await runAgent(definitionInReadme(), host)).toBe(0);
    expect(host.written.out).toMatch(/^[0-9A-Z]{13}\n$/);
  });
});
