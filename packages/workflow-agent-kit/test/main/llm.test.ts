import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runAgent } from "../../src/main/index.js";
import { makeHost } from "../helpers/host.js";
import { makeThread, REVIEW_META, type TestThread } from "../helpers/thread.js";
import { type FakeServer, fails, type Move, says, startServer } from "../llm/fake-server.js";

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

async function run(moves: readonly Move[]) {
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
  const host = makeHost([made.thread, "reviewer"], made.root);
  const code = await runAgent({ name: "uwf-test", run: () => ({ kind: "text", text: "I approve." }) }, host);
  return { code, ...host.written, received: server.received };
}

describe("a reply without a header", () => {
  it("is read by the configured model, with the key of .env", async () => {
    const { code, received, err } = await run([says('{"approved": true}')]);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(received[0]).toMatchObject({ authorization: "Bearer sk-from-file", body: { model: "small-1" } });
  });

  it("fails with what each layer found, and without the key", async () => {
    const { code, err } = await run([fails(401, { message: "bad key sk-from-file" })]);
    expect(code).toBe(6);
    expect(err).toContain("the reply has no frontmatter");
    expect(err).toContain("extract by a model: small-1: HTTP 401: bad key [redacted:LOCAL_API_KEY]");
    expect(err).not.toContain("sk-from-file");
  });
});
