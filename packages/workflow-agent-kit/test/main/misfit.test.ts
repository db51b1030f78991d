import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runAgent } from "../../src/main/index.js";
import { makeHost } from "../helpers/host.js";
import { makeThread, REVIEW_META, type TestThread } from "../helpers/thread.js";
import { calls, type FakeServer, type Move, says, startServer } from "../llm/fake-server.js";

let made: TestThread;
let server: FakeServer | null = null;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(async () => {
  await server?.close();
  server = null;
  made.remove();
});

const HINT = "write `output:`";

/** A program whose output does not fit; `moves`: what the model for extract answers, `null`: there is none. */
async function run(moves: readonly Move[] | null, text: string | null) {
  if (moves !== null) {
    server = await startServer(moves);
    const config = `providers: { local: { baseUrl: "${server.baseUrl}", apiKeyEnv: LOCAL_API_KEY } }
models: { small: { provider: local, name: small-1 } }
agents: {}
defaultAgent: null
agentOverrides: null
defaultModel: small
modelOverrides: null
`;
    writeFileSync(join(made.root, "config.yaml"), config);
    writeFileSync(join(made.root, ".env"), "LOCAL_API_KEY=sk-from-file\n", { mode: 0o600 });
  }
  const host = makeHost([made.thread, "reviewer"], made.root);
  const value = { verdict: "fine" };
  const code = await runAgent(
    { name: "uwf-test", run: () => ({ kind: "output", value, misfit: { text, hint: HINT } }) },
    host,
  );
  return { code, ...host.written, received: server?.received ?? [] };
}

describe("an output that does not fit meta", () => {
  it("is read out of the program's text by the configured model, which may read nodes", async () => {
    const hash = made.start;
    const moves = [calls(hash), says('{"approved": true}')];
    const { code, err, received } = await run(moves, `The work is node ${hash}.`);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(received).toHaveLength(2);
    expect(JSON.stringify(received[0]?.body)).toContain(`The work is node ${hash}.`);
  });

  it.each([
    ["without a model", null, "The work is done."],
    ["without a text for a model", [says('{"approved": true}')], null],
  ])("fails with the program's hint %s", async (_name, moves, text) => {
    const { code, err, received } = await run(moves, text);
    expect(code).toBe(6);
    expect(err).toContain("the output of uwf-test does not fit the meta of reviewer:");
    expect(err).toContain(`hint: ${HINT}`);
    expect(received).toEqual([]);
  });
});
