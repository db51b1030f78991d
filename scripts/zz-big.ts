import { writeFileSync } from "node:fs";
import { createMemoryStore, putSchema, type Hash } from "@uncaged/json-cas";
import { openStorage, putContent, putReactSession, putStart, putStep, putWorkflow, setRegistry } from "@uncaged/workflow-store";
import { writeNodes } from "./bench/stores/files.js";
import { META, threadAt, expectOk } from "./bench/stores/build.js";
const [root, threads, steps] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])];
const storage = openStorage(root, { now: Date.now });
const cas = createMemoryStore();
const meta = await putSchema(cas, META);
const texts = { description: "d", goal: "g", capabilities: [], agent: null, procedure: "p", output: "o" };
const workflow = await putWorkflow(cas, { name: "bench", description: "x", roles: { worker: { ...texts, meta } }, conditions: { again: { description: "", expression: "steps[-1].output.ok = true" } }, graph: { $START: [{ role: "worker", condition: null }], worker: [{ role: "worker", condition: "again" }, { role: "$END", condition: null }] } } as never);
let lines = "";
for (let t = 0; t < threads; t++) {
  const start = await putStart(cas, { workflow, prompt: `Measure it ${t}` });
  let prev: Hash | null = null;
  for (let index = 0; index < steps; index++) {
    const output = await cas.put(meta, { ok: true, note: `thread ${t} step ${index}` });
    const prompt = await putContent(cas, "Measure it");
    const raw = await putContent(cas, `---\nok: true\nnote: thread ${t} step ${index}\n---\nDone with ${index}. ${"The change is small and its tests are green. ".repeat(4)}`);
    const facts = { agent: "uwf-bench", role: "worker", sessionId: null, cwd: null, model: null, usage: null };
    const detail = await putReactSession(cas, { ...facts, prompt, turns: [], raw, startedAt: index + t * 1000, durationMs: 1 });
    prev = await putStep(cas, { start, prev, role: "worker", output, detail, agent: "uwf-bench" });
  }
  lines += `${threadAt(t + 1)}: "${prev ?? start}"\n`;
}
function* all() { for (const h of cas.list()) yield [h, cas.get(h)] as const; }
writeNodes(storage.paths.cas, all());
expectOk(await setRegistry(storage, "bench", workflow));
writeFileSync(storage.paths.threads, lines);
console.log(cas.list().length);
