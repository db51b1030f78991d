import { join } from "node:path";
import type { ThreadReadOutput, ThreadUsageOutput } from "@uncaged/workflow-protocol";
import { afterEach, describe, expect, it } from "vitest";
import {
  calls,
  type FakeServer,
  type Move,
  says,
  startServer,
} from "../../../workflow-agent-kit/test/llm/fake-server.js";
import { logLines } from "../support/logs.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";
import { mockWith } from "./support.js";

type Text = { readonly text: string };

type Detail = {
  readonly usage: unknown;
  readonly extract: {
    readonly agent: string;
    readonly model: string;
    readonly prompt: Text;
    readonly usage: unknown;
    readonly turns: readonly {
      readonly input: Text;
      readonly output: Text;
      readonly toolCalls: readonly {
        readonly name: string;
        readonly arguments: Text;
        readonly result: Text;
      }[];
    }[];
  };
};

const OWN = { inputTokens: 100, outputTokens: 20, costUsd: 0.1 };
/** What `count` answers of the server take. */
const taken = (count: number) => ({
  ...{ inputTokens: 10 * count, outputTokens: 3 * count, totalTokens: 13 * count, costUsd: null },
});

let server: FakeServer | null = null;

afterEach(async () => {
  await server?.close();
  server = null;
});

/** A step whose agent replies without a header; config.yaml names a model that makes these moves. */
async function stepWith(box: Sandbox, moves: readonly Move[], reply: string) {
  const thread = await startTurns(box);
  server = await startServer(moves);
  box.write(
    join(box.root, "config.yaml"),
    JSON.stringify({
      providers: { local: { baseUrl: server.baseUrl } },
      models: { small: { provider: "local", name: "small-1" } },
      defaultModel: "small",
    }),
  );
  const agent = mockWith(box, { maker: [{ reply, usage: OWN }] });
  const ran = await box.uwf(["thread", "step", thread, "--agent", agent]);
  return { thread, ran };
}

describe("an output that a model read out of the reply", () => {
  it("is recorded with that model, its turns, its calls of cas_get and its usage", async () => {
    const box = sandbox();
    const { hash } = await box.json(["cas", "put-text", "as long as it is short"]);
    const moves = [calls(hash), says('{"txt": 1}'), says('{"text": "made"}')];
    const { thread, ran } = await stepWith(box, moves, `I made it, see ${hash}.`);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const { head } = JSON.parse(ran.stdout);
    const { extract, usage } = await box.json<Detail>(["thread", "step-details", head]);
    expect(usage).toMatchObject(OWN);
    expect(extract).toMatchObject({ agent: "extract", model: "small-1", usage: taken(3) });
    expect(extract.prompt.text).toContain("JSON Schema");
    expect(extract.turns.map(({ output }) => output.text)).toEqual(["", '{"txt": 1}', '{"text": "made"}']);
    expect(extract.turns[0]).toMatchObject({
      input: { text: `I made it, see ${hash}.` },
      toolCalls: [{ name: "cas_get", result: { text: expect.stringContaining("as long as it is short") } }],
    });
    const { steps, total } = await box.json<ThreadUsageOutput>(["thread", "usage", thread]);
    expect(steps).toMatchObject([{ usage: OWN, extract: { model: "small-1", usage: taken(3) } }]);
    expect(total).toMatchObject({ inputTokens: 130, outputTokens: 29, costUsd: 0.1, unknown: { cost: 1 } });
    const table = await box.uwf(["thread", "usage", thread, "--table"]);
    expect(table.stdout).toMatch(/^maker +\(extract\) +small-1 +30 +9 +39 +\? +[0-9A-Z]{13}$/m);
    const read = await box.uwf(["thread", "read", thread]);
    expect(read.stdout).toContain(" · output extracted by small-1\n");
    const document = await box.json<ThreadReadOutput>(["thread", "read", thread, "--format", "json"]);
    expect(document.steps).toMatchObject([{ extract: { model: "small-1" } }]);
    expect((await box.uwf(["thread", "read", thread, "--detail"])).stdout).toContain(
      "### The extract by a model",
    );
  });

  it("is kept by gc and travels, with everything that the model was asked", async () => {
    const box = sandbox();
    const { thread, ran } = await stepWith(box, [says('{"text": "made"}')], "I made it.");
    const { head } = JSON.parse(ran.stdout);
    const before = await box.json<Detail>(["thread", "step-details", head]);
    await box.json(["cas", "gc", "--grace", "0s", "--yes"]);
    expect(await box.json(["thread", "step-details", head])).toEqual(before);
    const file = join(box.cwd, "thread.cas");
    expect((await box.uwf(["cas", "export", thread, "-o", file])).code).toBe(0);
    const other = sandbox();
    expect((await other.uwf(["cas", "import", file])).code).toBe(0);
    expect(await other.json(["thread", "step-details", head])).toEqual(before);
  });

  it("is not there where the header was valid, and leaves the detail what it was", async () => {
    const box = sandbox();
    const { thread, ran } = await stepWith(box, [], "---\ntext: made\n---\n");
    const { head } = JSON.parse(ran.stdout);
    expect(await box.json(["thread", "step-details", head])).not.toHaveProperty("extract");
    const { steps } = await box.json<ThreadUsageOutput>(["thread", "usage", thread]);
    expect(steps).toMatchObject([{ extract: null }]);
  });
});

it("a failed extraction is logged with its usage", async () => {
  const box = sandbox();
  const { thread, ran } = await stepWith(box, [says('{"txt": 1}')], "I made it.");
  expect(ran.code).toBe(6);
  expect(logLines(box).at(-1)).toMatchObject({ outcome: "failed", extractUsage: taken(2) });
  const { failed, total } = await box.json<ThreadUsageOutput>(["thread", "usage", thread]);
  expect(failed).toMatchObject([{ usage: OWN, extractUsage: taken(2) }]);
  expect(total).toMatchObject({ inputTokens: 120, outputTokens: 26 });
});
