import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { putSchema } from "@uncaged/json-cas";
import {
  type CasRef,
  exitCodeOf,
  type Fault,
  messageOf,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  anyJson,
  corpus,
  hashLike,
  keyText,
  mutatedText,
  nastyText,
} from "../../../json-cas/test/support/nasty.js";
import {
  addThread,
  descendantsOf,
  findHeld,
  findKeyedThread,
  findRuns,
  findThread,
  listThreads,
  loadConfig,
  loadDotEnv,
  newRun,
  notesOfRun,
  openStorage,
  putNode,
  readChain,
  readFamily,
  readNotes,
  readParents,
  readPid,
  readRegistry,
  readRegistryHistory,
  readReport,
  readSpent,
  readThreadRecord,
  readWaiting,
  type Storage,
  setRegistry,
} from "../../src/index.js";
import { good } from "../support/results.js";
import { tempRoot } from "../support/temp.js";

const THREAD = "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as ThreadId;
const ENDED = "01KAJ5E8ZJ4N7XK3M9T2V6W8YC" as ThreadId;

/** A file of the storage root, and what stands there when all is well. */
type StateFile = { readonly path: string; readonly text: string };

type Damage = { readonly file: StateFile; readonly text: string };

function damages(files: readonly StateFile[]): fc.Arbitrary<Damage> {
  const word = fc.oneof(
    nastyText,
    hashLike,
    anyJson.map((value) => JSON.stringify(value)),
  );
  const line = fc.oneof(
    fc.tuple(keyText, word).map(([key, value]) => `${key}: ${value}`),
    fc.tuple(keyText, word).map(([key, value]) => `${key}=${value}`),
    fc.tuple(keyText, anyJson).map(([key, value]) => JSON.stringify({ [key]: value })),
    fc.constantFrom(...corpus("yaml").filter((text) => text.length < 5_000)),
    word,
  );
  return fc.constantFrom(...files).chain((file) => {
    const lines = fc.array(line, { maxLength: 6 }).map((each) => each.join("\n"));
    const text = fc.oneof(
      { weight: 4, arbitrary: mutatedText(file.text, fc.oneof(word, line)) },
      { weight: 1, arbitrary: lines },
    );
    return text.map((changed) => ({ file, text: changed }));
  });
}

/** Both kinds of threads, a run under way, a configuration. */
async function furnish(storage: Storage): Promise<readonly StateFile[]> {
  const meta = await putSchema(storage.cas, { type: "object" });
  const role = {
    description: "d",
    goal: "g",
    capabilities: [],
    agent: null,
    procedure: "p",
    output: "o",
    meta,
  };
  const graph = { $START: [{ role: "maker", condition: null }], maker: [{ role: "$END", condition: null }] };
  const payload = { name: "turns", description: "d", roles: { maker: role }, conditions: {}, graph };
  const workflow = await putNode(storage.cas, "workflow", payload);
  const head = await putNode(storage.cas, "startNode", { workflow, prompt: "p" });
  good(await setRegistry(storage, "turns", workflow));
  good(await addThread(storage, THREAD, head));
  const run = good(
    newRun(storage, THREAD, { head, role: "maker", command: ["x"], token: "abc", attempt: 1 }),
  );
  const line = { thread: ENDED, workflow, head, completedAt: 1, reason: "end" };
  const child = { child: ENDED, parent: THREAD, head, role: "maker", item: 3, at: 1 };
  const threads = [{ thread: ENDED, head, held: true }];
  const hold = {
    ...{ for: "threads", question: "Which?", threads, until: 1, head, role: "maker", agent: null },
    ...{ since: 1, config: "1 2", told: false, at: 3 },
  };
  const limit = { of: THREAD, limit: "maxSteps", max: 1, spent: 2, stamp: "1/2" };
  const spent = { run: "abc", steps: 1, ms: 1000, costUsd: 0.5, unknownCost: 0 };
  const config = CONFIG;
  const { paths } = storage;
  const written: readonly StateFile[] = [
    { path: paths.history, text: `${JSON.stringify(line)}\n` },
    { path: paths.removed, text: `${JSON.stringify({ thread: ENDED, completedAt: 2, at: 3 })}\n` },
    { path: paths.config, text: config },
    { path: paths.dotEnv, text: "# keys\nOPENROUTER_API_KEY=sk-123\nexport OTHER='a b'\nMORE=\"x\\ny\"\n" },
    {
      path: run.pidFile,
      text: "4194303 (sh) S 1 4194303 4194303 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 123 0 0\n",
    },
    { path: run.report, text: '{"sessionId":"s","usage":null,"raw":null}\n' },
    { path: paths.children, text: `${JSON.stringify(child)}\n`.repeat(2) },
    { path: paths.keys, text: `${JSON.stringify({ thread: ENDED, keyed: true, at: 1 })}\n`.repeat(2) },
    { path: run.waiting, text: JSON.stringify({ for: "threads", question: "Which?", threads, until: 1 }) },
    { path: run.notes, text: '{"text":"a","by":"b","at":1}\n' },
    { path: join(dirname(run.dir), "hold.json"), text: JSON.stringify(hold) },
    { path: join(dirname(run.dir), "hold.json"), text: JSON.stringify({ ...hold, for: "limit", limit }) },
    { path: join(dirname(run.dir), "pause.json"), text: '{"since":1,"why":"later","remote":false}\n' },
    { path: join(dirname(run.dir), "notes.jsonl"), text: '{"text":"a","by":"b","at":1}\n'.repeat(2) },
    {
      path: join(dirname(run.dir), "limits.json"),
      text: '{"maxSteps":3,"maxCostUsd":null,"maxMinutes":9}\n',
    },
    { path: join(dirname(run.dir), "spent.jsonl"), text: `${JSON.stringify(spent)}\n`.repeat(2) },
    {
      path: join(dirname(run.dir), "ending"),
      text: `${JSON.stringify({ head, reason: "killed", completedAt: 1 })}\n`,
    },
  ];
  for (const { path, text } of written) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const made = [paths.threads, paths.registry, paths.registryHistory, run.runFile];
  return [...written, ...made.map((path) => ({ path, text: readFileSync(path, "utf8") }))];
}

/** Every read finds an answer or a fault that names what is wrong, and leaves the file as it is. */
async function readEverything(storage: Storage, { file, text }: Damage): Promise<void> {
  writeFileSync(file.path, text);
  const written = readFileSync(file.path);
  try {
    for (const read of await readsOf(storage)) {
      if (!read.ok) checkFault(read.error);
    }
    expect(readFileSync(file.path).equals(written), `${file.path} was written by a read`).toBe(true);
  } finally {
    writeFileSync(file.path, file.text);
  }
}

async function readsOf(storage: Storage): Promise<readonly Result<unknown, Fault>[]> {
  const runs = findRuns(storage, THREAD);
  for (const run of runs.ok ? runs.value : []) {
    readPid(run);
    readReport(run);
    readWaiting(run);
    notesOfRun(run);
  }
  const threads = await listThreads(storage, { all: true });
  for (const { head } of threads.ok ? threads.value : []) readChain(storage.cas, head as CasRef);
  const found = await findThread(storage, THREAD);
  const family = readFamily(storage);
  if (family.ok) descendantsOf(family.value, THREAD);
  return [
    runs,
    threads,
    family,
    readParents(storage, ENDED),
    await findKeyedThread(storage, "k"),
    readRegistryHistory(storage),
    readThreadRecord(storage, THREAD, "pause"),
    readNotes(storage, THREAD),
    readThreadRecord(storage, THREAD, "limits"),
    readSpent(storage, THREAD),
    found.ok ? await findHeld(storage, found.value) : found,
    await findThread(storage, THREAD),
    await findThread(storage, ENDED),
    await readRegistry(storage),
    readThreadRecord(storage, THREAD, "ending"),
    await loadConfig(storage),
    await loadDotEnv(storage),
  ];
}

function checkFault(fault: Fault): void {
  // Usage, not found, invalid, damaged: neither a bug nor a fault of the machine.
  expect([2, 3, 4, 7], fault.code).toContain(exitCodeOf(fault));
  expect(messageOf(fault), fault.code).not.toBe("");
}

const CONFIG = `# of the user
providers:
  openrouter: { baseUrl: "https://openrouter.ai/api/v1", apiKeyEnv: OPENROUTER_API_KEY }
models:
  sonnet: { provider: openrouter, name: anthropic/claude-sonnet-4 }
agents:
  hermes: { command: uwf-hermes, args: [], timeoutSeconds: 60, retries: 2, env: [LANG] }
defaultAgent: hermes
agentOverrides: { solve-issue: { developer: hermes } }
defaultModel: sonnet
modelOverrides: { extract: sonnet }
`;

it("any text in the place of a state file is read as what it is or told, and is left as it is", async () => {
  const storage = openStorage(join(tempRoot(), "storage"), { now: Date.now });
  const files = await furnish(storage);
  await fc.assert(
    fc.asyncProperty(damages(files), (damage) => readEverything(storage, damage)),
    { numRuns: 150 },
  );
});
