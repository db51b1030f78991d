import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { putSchema } from "@uncaged/json-cas";
import { loadChecks } from "@uncaged/workflow-moderator";
import {
  type CasRef,
  type Fault,
  type FaultCode,
  messageOf,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
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
  putStart,
  putWorkflow,
  readChain,
  readEnding,
  readFamily,
  readLimits,
  readNotes,
  readParents,
  readPause,
  readPid,
  readRegistry,
  readRegistryHistory,
  readReport,
  readSpent,
  readWaiting,
  readWorkflowFile,
  type Storage,
  setRegistry,
  type WorkflowFile,
} from "@uncaged/workflow-store";
import fc from "fast-check";
import { anyJson, corpus, hashLike, keyText, mutatedText, nastyText } from "../texts.js";
import { batchOf, type Subject } from "./batch.js";

const THREAD = "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as ThreadId;
const ENDED = "01KAJ5E8ZJ4N7XK3M9T2V6W8YC" as ThreadId;

/** A file of the storage root, and what stands there when all is well. */
type StateFile = { readonly path: string; readonly text: string };

type Damage = { readonly file: StateFile; readonly text: string };

/**
 * The lines of threads.yaml, history.jsonl, removed.jsonl, registry.yaml and its history, children.jsonl, keys.jsonl, config.yaml and .env, the files
 * of a run, and those that say what a thread waits for, may spend and has spent.
 */
export const stateFiles: Subject = {
  name: "lines of state files",
  sample: 150,
  batch: 2_000,
  weight: 3,
  open: async ({ folder, slowMs }) => {
    const storage = openStorage(join(folder, "storage"), { now: Date.now });
    const files = await furnish(storage);
    return batchOf(damages(files), slowMs, (damage) => readEverything(storage, damage));
  },
};

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
  const workflow = await putWorkflow(storage.cas, payload);
  const head = await putStart(storage.cas, { workflow, prompt: "p" });
  demand(await setRegistry(storage, "turns", workflow));
  demand(await addThread(storage, THREAD, head));
  const run = demand(
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
  const config = readFileSync(join(import.meta.dirname, "config.sample.yaml"), "utf8");
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
    { path: join(dirname(run.dir), "pause.json"), text: '{"since":1,"why":"later"}\n' },
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
    if (!readFileSync(file.path).equals(written)) throw new Error(`${file.path} was written by a read`);
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
    readPause(storage, THREAD),
    readNotes(storage, THREAD),
    readLimits(storage, THREAD),
    readSpent(storage, THREAD),
    found.ok ? await findHeld(storage, found.value) : found,
    await findThread(storage, THREAD),
    await findThread(storage, ENDED),
    await readRegistry(storage),
    readEnding(storage, THREAD),
    await loadConfig(storage),
    await loadDotEnv(storage),
  ];
}

const CODES: ReadonlySet<FaultCode> = new Set<FaultCode>([
  "STORE_DAMAGED",
  "CHAIN_DAMAGED",
  "NODE_MISSING",
  "NODE_DAMAGED",
  "WRONG_NODE_TYPE",
  "INVALID_CONFIG",
  "INVALID_INPUT",
  "TOO_LARGE",
  "THREAD_NOT_FOUND",
  "AMBIGUOUS_PREFIX",
]);

function checkFault(fault: Fault): void {
  const sentence = messageOf(fault);
  if (!CODES.has(fault.code)) throw new Error(`it is told as ${fault.code}: ${sentence}`);
  if (sentence === "") throw new Error(`${fault.code} without words`);
}

function demand<T>(result: Result<T, Fault>): T {
  if (!result.ok) throw new Error(messageOf(result.error));
  return result.value;
}

const REAL = readFileSync(join(import.meta.dirname, "../../world/turns.yaml"), "utf8");

const fragment = fc.oneof(nastyText, fc.constantFrom(...corpus("yaml").filter((text) => text.length < 200)));

/** Line ends and marks as other systems write them. */
const dressed = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.constantFrom("", "bom", "crlf", "cr", "tabs", "latin1")).map(([plain, dress]) => {
    if (dress === "bom") return `\ufeff${plain}`;
    if (dress === "crlf") return plain.replaceAll("\n", "\r\n");
    if (dress === "cr") return plain.replaceAll("\n", "\r");
    return dress === "tabs" ? plain.replaceAll("  ", "\t") : plain;
  });

/** JSON is YAML: values of the right outline with anything in them. */
const outlined = fc
  .record(
    {
      name: fc.oneof(nastyText, fc.constant("turns")),
      description: anyJson,
      roles: fc.dictionary(keyText, anyJson, { maxKeys: 4 }),
      conditions: fc.dictionary(keyText, fc.record({ description: nastyText, expression: nastyText }), {
        maxKeys: 4,
      }),
      graph: fc.dictionary(
        keyText,
        fc.array(fc.record({ role: keyText, condition: fc.option(keyText) }), { maxLength: 4 }),
      ),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value));

const inputs: fc.Arbitrary<string> = dressed(
  fc.oneof(
    { weight: 6, arbitrary: mutatedText(REAL, fragment) },
    { weight: 2, arbitrary: outlined },
    { weight: 1, arbitrary: fc.array(fragment, { maxLength: 5 }).map((parts) => parts.join("")) },
  ),
);

/** Workflow files: everything that `uwf workflow put` reads and judges before it writes anything. */
export const workflowFiles: Subject = {
  name: "workflow files",
  sample: 150,
  batch: 1_000,
  weight: 3,
  open: async ({ folder, slowMs }) => batchOf(inputs, slowMs, await reader(folder)),
};

/** The expensive ones, each as it stands in the corpus and inside of a workflow. */
export const workflowBombs: Subject = {
  name: "workflow bombs",
  sample: 8,
  batch: 200,
  weight: 2,
  open: async ({ folder, slowMs }) => {
    const bomb = fc.constantFrom(...corpus("yaml"));
    const bombs = fc.tuple(bomb, fc.constantFrom("", "\n", REAL), fc.constantFrom("", "\nmore: x\n"));
    const joined = bombs.map(([text, before, after]) => `${before}${text}${after}`);
    return batchOf(joined, slowMs, await reader(folder));
  },
};

async function reader(folder: string): Promise<(text: string) => Promise<void>> {
  const { checkWorkflow } = await loadChecks();
  const file = join(folder, "turns.yaml");
  return async (text) => {
    writeFileSync(file, text);
    const read = await readWorkflowFile(file, checkWorkflow);
    const wrong = read.ok ? wrongIn(read.value) : wrongFault(read.error);
    if (wrong !== null) throw new Error(wrong);
  };
}

const WORKFLOW_CODES: ReadonlySet<FaultCode> = new Set<FaultCode>([
  "INVALID_WORKFLOW",
  "INVALID_INPUT",
  "TOO_LARGE",
]);

function wrongFault(fault: Fault): string | null {
  if (!WORKFLOW_CODES.has(fault.code)) return `it is refused as ${fault.code}: ${messageOf(fault)}`;
  if (messageOf(fault) === "") return `${fault.code} without a word`;
  if (fault.code !== "INVALID_WORKFLOW") return null;
  if (fault.problems.length === 0) return "INVALID_WORKFLOW without a problem";
  const odd = fault.problems.find(
    ({ line, column, message }) => !((line ?? 1) >= 1 && (column ?? 1) >= 1) || message === "",
  );
  return odd === undefined ? null : `a problem without a place or words: ${JSON.stringify(odd)}`;
}

/** What was let through has names that may become paths and arguments. */
function wrongIn({ authored }: WorkflowFile): string | null {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(authored.name))
    return `the name ${authored.name} was let through`;
  const role = Object.keys(authored.roles).find((name) => !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name));
  return role === undefined ? null : `the role ${role} was let through`;
}
