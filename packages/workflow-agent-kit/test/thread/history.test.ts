import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@uncaged/json-cas";
import { fullHistory, openHistory, openStorage } from "@uncaged/workflow-store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentDefinition } from "../../src/author.js";
import { orThrow } from "../../src/fault.js";
import { runAgent } from "../../src/main/index.js";
import { makeHost } from "../helpers/host.js";
import { addStep, makeThread, REVIEW_META, type TestThread } from "../helpers/thread.js";

const VALUE = { approved: true };

let made: TestThread;
let first: Hash;
let head: Hash;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
  const step = { role: "reviewer", meta: REVIEW_META, output: { approved: false } };
  first = await addStep(made, made.start, { ...step, reply: "First." });
  head = await addStep(made, first, { ...step, reply: "Second." });
});

afterEach(() => made.remove());

async function run(definition: AgentDefinition["run"]) {
  const host = makeHost([made.thread, "reviewer"], made.root);
  return { code: await runAgent({ name: "uwf-test", run: definition }, host), ...host.written };
}

function lose(hash: Hash): void {
  const cas = join(made.root, "cas");
  const file = readdirSync(cas, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(`${hash}.bin`),
  );
  if (file === undefined) throw new Error(`no file of ${hash}`);
  rmSync(join(cas, file));
}

describe("a damaged history", () => {
  it("does not hinder a program that does not look at it", async () => {
    lose(first);
    expect((await run(() => ({ kind: "output", value: VALUE }))).code).toBe(0);
  });

  it("is reported, with its node, on access", async () => {
    lose(first);
    const seen = [
      await run((context) => ({ kind: "output", value: { approved: context.prompt === "" } })),
      await run((context) => ({ kind: "output", value: { approved: context.steps.length === 2 } })),
    ];
    for (const { code, out, err } of seen) {
      expect({ code, out }).toEqual({ code: 7, out: "" });
      expect(err).toContain("error[CHAIN_DAMAGED]");
      expect(err).toContain(first);
    }
  });

  it("is reported at once if the head itself is gone", async () => {
    lose(head);
    const { code, err } = await run(() => ({ kind: "output", value: VALUE }));
    expect(code).toBe(7);
    expect(err).toContain(head);
  });
});

describe("the history of an agent", () => {
  it("is read from the cache as far as uwf has kept it there", async () => {
    const storage = openStorage(made.root, { now: () => 0 });
    orThrow(fullHistory(storage, made.thread, orThrow(openHistory(storage.cas, first)), "kept")());
    lose(first);
    const seen: unknown[] = [];
    const { code } = await run(({ steps }) => {
      seen.push(...steps.map(({ role, output }) => [role, output]));
      return { kind: "output", value: VALUE };
    });
    expect(code).toBe(0);
    expect(seen).toEqual([
      ["reviewer", { approved: false }],
      ["reviewer", { approved: false }],
    ]);
  });
});
