import { createMemoryStore, type JsonObject, type JsonValue, type Store } from "@uncaged/json-cas";
import { createJudge, extract, fieldNames } from "@uncaged/workflow-agent-kit";
import {
  type CasRef,
  err,
  ok,
  type Result,
  type StartNodePayload,
  type StepContext,
} from "@uncaged/workflow-protocol";
import {
  type NewFile,
  openHistory,
  putFile,
  putNode,
  recordedIn,
  verifyStep,
  withAnswerFields,
} from "@uncaged/workflow-store";
import { createRedactor, type Entry } from "@uncaged/workflow-util";
import { readAnswer, violationsOf } from "../answer-read.js";
import { type AssembledWorkflow, writeWorkflow } from "../workflow.js";

// A thread in memory. A step is what the agent kit and `thread answer` make of a reply, checked as stage 7 checks it.

export type MemoryThread = {
  readonly store: Store;
  readonly start: StartNodePayload;
  /** Records the reply of an entry as the next step; else what is wrong with it, one line for each thing. */
  readonly step: (role: string, entry: Entry & Reply) => Promise<Result<StepContext, readonly string[]>>;
};

type Reply = { readonly reply: string };

type ReplyContext = {
  readonly store: Store;
  readonly role: string;
  readonly meta: CasRef;
  readonly schema: JsonValue;
  readonly head: CasRef;
  /** Where the paths of an output lead. */
  readonly workFolder: string;
  readonly isPerson: boolean;
  /** Whether the agent's session can be asked for another header. */
  readonly canAsk: boolean;
};

/** What a reply says. */
type Delivered = {
  readonly value: JsonObject;
  readonly raw: string;
  readonly files: ReadonlyMap<CasRef, NewFile>;
};

export async function startThread(
  workflow: AssembledWorkflow,
  prompt: string,
  folder: string,
): Promise<MemoryThread> {
  const store = createMemoryStore({ now: () => 0 });
  const hash = await writeWorkflow(store, workflow);
  const start: StartNodePayload = { workflow: hash, prompt };
  const startHash = await putNode(store, "startNode", start);
  const sessions = new Map<string, string | null>();
  let head: CasRef = startHash;
  return {
    store,
    start,
    step: async (role, entry) => {
      const definition = workflow.payload.roles[role];
      if (definition === undefined) throw new Error(`the moderator chose the unknown role ${role}`);
      const { meta, agent } = definition;
      const session = entry.sessionId ?? (entry.sessionLost ? null : (sessions.get(role) ?? null));
      sessions.set(role, session);
      const place: ReplyContext = {
        store,
        role,
        meta,
        schema: store.get(meta)?.payload ?? {},
        head,
        workFolder: folder,
        isPerson: agent !== null && "human" in agent,
        canAsk: session !== null,
      };
      const delivered = place.isPerson ? answered(place, entry) : await replied(place, entry);
      if (!delivered.ok) return delivered;
      const step = await record(place, startHash, delivered.value);
      if (step.ok) ({ head } = step.value);
      return step.ok ? ok(step.value.step) : step;
    },
  };
}

/** Nothing of the person's storage root is known here: there are no keys. */
const NO_KEYS = createRedactor([]);

/** As the agent kit reads the reply of uwf-mock, without a model. */
async function replied(
  { store, schema, meta, head, workFolder: folder, canAsk }: ReplyContext,
  { reply, continue: corrections }: Entry & Reply,
): Promise<Result<Delivered, readonly string[]>> {
  const working = { folder, storageRoot: NO_ROOT };
  const at = { metaSchema: schema, meta, types: store, store, head, redactor: NO_KEYS, working };
  // The replies that `--update` drafts are examples.
  const { accept, files } = await createJudge({ ...at, examples: null });
  const texts = [reply];
  const ask = async () => {
    const text = corrections[Math.min(texts.length, corrections.length) - 1];
    if (text === undefined) return err("the entry has no `continue`");
    texts.push(text);
    return ok({ text, isExact: true });
  };
  const read = await extract({
    accept,
    fields: fieldNames(schema),
    reply: { text: reply, isExact: true },
    ask: canAsk ? ask : null,
    llm: async () => err([]),
  });
  return read.ok ? ok({ value: read.value.value, raw: texts.join("\n\n"), files: files() }) : read;
}

/** No folder: paths of an output are relative to the working folder, and none of them is barred. */
const NO_ROOT = "/nonexistent/uwf";

/** Who has answered, and when: the same at each time. */
const ANSWERER = { by: "scenario", at: 0, timedOut: false } as const;

/** As `thread answer` reads the answer of a person. */
function answered({ schema }: ReplyContext, { reply }: Reply): Result<Delivered, readonly string[]> {
  const given = readAnswer(reply, schema);
  if (!given.ok) return given;
  const { value, raw } = given.value;
  const violations = violationsOf(schema, value, ANSWERER.by, ANSWERER.at);
  if (violations.length > 0) return err(violations);
  return ok({ value: withAnswerFields(schema, value, ANSWERER), raw, files: new Map() });
}

async function record(
  { store, role, meta, head }: ReplyContext,
  startHash: CasRef,
  { value, raw, files }: Delivered,
): Promise<Result<{ readonly head: CasRef; readonly step: StepContext }, readonly string[]>> {
  for (const file of files.values()) await putFile(store, file);
  const output = await store.put(meta, value);
  const detail = await putNode(store, "content", { text: raw });
  const prev = head === startHash ? null : head;
  const hash = await putNode(store, "stepNode", {
    start: startHash,
    prev,
    role,
    output,
    detail,
    agent: AGENT,
  });
  const history = openHistory(store, head);
  const isRecorded = history.ok ? recordedIn(history.value) : () => false;
  const step = verifyStep(store, { hash, head, startHash, role, meta, isRecorded });
  if (!step.ok) return err([step.error]);
  return ok({ head: hash, step: { role, output: step.value.output.payload, detail, agent: AGENT } });
}

const AGENT = "uwf-mock";
