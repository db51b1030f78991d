import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore } from "@uncaged/json-cas";
import { putNode } from "@uncaged/workflow-store";
import { expect, it } from "vitest";
import { putLoop, threadOf, writeStore } from "../../support/long.js";
import { sandbox } from "../../support/uwf.js";

const BEGIN = Date.parse("2026-01-31T08:00:00Z");
const MIB = 1024 * 1024;

it("doctor has one thread's prompt in memory, however many there are", async () => {
  const box = sandbox("node");
  const store = createMemoryStore();
  const workflow = await putLoop(store, "loop", "again and again");
  const start = await putNode(store, "startNode", { workflow, prompt: "A b\n".repeat(MIB) });
  const lines = Array.from({ length: 50 }, (_, at) => `${threadOf(BEGIN + at, at + 1)}: "${start}"\n`);
  mkdirSync(box.root, { recursive: true });
  writeFileSync(join(box.root, "threads.yaml"), lines.join(""));
  writeStore(box.root, store);
  const ran = await box.uwf(["doctor"], { env: { NODE_OPTIONS: "--max-old-space-size=64" } });
  expect(ran.stdout).toContain('"50 active threads"');
});
