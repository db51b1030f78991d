import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createMemoryStore,
  encodeNode,
  type Hash,
  type JsonObject,
  putSchema,
  type Store,
} from "@uncaged/json-cas";
import { fsStoreFile } from "@uncaged/json-cas-fs";
import { putNode } from "@uncaged/workflow-store";

/** Ids of which the first so many characters are the time, epoch ms. */
export function threadOf(time: number, number: number): string {
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  let [rest, digits] = [time, ""];
  for (let place = 0; place < 10; place += 1) {
    digits = alphabet.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return `${digits}${String(number).padStart(16, "0")}`;
}

const TEXTS = { description: "d", goal: "g", capabilities: [], agent: null, procedure: "p", output: "o" };

export async function putLoop(store: Store, name: string, description: string): Promise<Hash> {
  const meta = await putSchema(store, { type: "object", properties: { note: { type: "string" } } });
  const graph = {
    $START: [{ role: "worker", condition: null }],
    worker: [{ role: "worker", condition: null }],
  };
  const roles = { worker: { ...TEXTS, meta } };
  return putNode(store, "workflow", { name, description, roles, conditions: {}, graph });
}

export type LongThread = {
  readonly thread: string;
  readonly workflow: Hash;
  readonly start: Hash;
  /** Oldest first. */
  readonly steps: readonly { readonly hash: Hash; readonly output: Hash; readonly detail: Hash }[];
};

/** An active thread with so many steps, as uwf and its agents would have made it, but nothing is synced. */
export async function longThread(
  root: string,
  count: number,
  outputOf: (index: number) => JsonObject = (index) => ({ note: `step ${index}` }),
): Promise<LongThread> {
  const store = createMemoryStore();
  const workflow = await putLoop(store, "loop", "again and again");
  const meta = await putSchema(store, { type: "object", properties: { note: { type: "string" } } });
  const start = await putNode(store, "startNode", { workflow, prompt: "Go on" });
  const steps: LongThread["steps"][number][] = [];
  for (let index = 0; index < count; index += 1) {
    const output = await store.put(meta, outputOf(index));
    const detail = await putNode(store, "content", { text: `---\nnote: x\n---\nreply ${index}` });
    const prev: Hash | null = steps.at(-1)?.hash ?? null;
    const hash = await putNode(store, "stepNode", {
      start,
      prev,
      role: "worker",
      output,
      detail,
      agent: "uwf-test",
    });
    steps.push({ hash, output, detail });
  }
  writeStore(root, store);
  const thread = threadOf(1_700_000_000_000, 1);
  writeFileSync(join(root, "threads.yaml"), `${thread}: "${steps.at(-1)?.hash ?? start}"\n`);
  return { thread, workflow, start, steps };
}

/** Puts all nodes of a store into a storage root. */
export function writeStore(root: string, store: Store): void {
  const cas = join(root, "cas");
  mkdirSync(cas, { recursive: true });
  for (const hash of store.list()) {
    const node = store.get(hash);
    if (node !== null) writeFileSync(fsStoreFile(cas, hash), encodeNode(node));
  }
}
