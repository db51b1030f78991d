import {
  buildQuestion,
  type ThreadView,
  type ThreadViews,
  undecidedWords,
  withThreadViews,
} from "@uncaged/workflow-engine";
import {
  type CasRef,
  type Fault,
  messageOf,
  ok,
  type Result,
  type SeenState,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  reportBody,
  reportOf,
  type StepText,
  type ThreadReport,
  threadSummary,
  visibleTexts,
} from "@uncaged/workflow-report";
import {
  findThread,
  type ListedThread,
  openHistory,
  openThreadList,
  readStoredFile,
  type Storage,
} from "@uncaged/workflow-store";
import { money } from "@uncaged/workflow-util";
import type { Host, Messages } from "../io.js";
import {
  type Documents,
  detailTexts,
  ofOneThread,
  openDocuments,
  openReading,
  threadFacts,
  workflowSummaries,
} from "../report/index.js";

/** What the page reads. Everything is read in this process: a process for each request would be felt. */
export type Reads = {
  /** So many threads, the newest, and how many there are. */
  readonly overview: (most: number) => Promise<Result<unknown, Fault>>;
  readonly thread: (thread: ThreadId) => Promise<Result<unknown, Fault>>;
  readonly texts: (step: CasRef) => Result<readonly StepText[], Fault>;
  /** The bytes of a stored file. */
  readonly file: (hash: CasRef) => Result<Uint8Array, Fault>;
  /** `null`: it has ended. */
  readonly head: (thread: ThreadId) => Promise<Result<CasRef | null, Fault>>;
};

type Reading = {
  readonly context: Pick<Messages, "warn"> & { readonly host: Host };
  readonly storage: Storage;
};

/** What the overview says of a thread, and of what: a row changes with the head and the state. */
type KnownRow = { readonly key: string; readonly state: SeenState; readonly row: unknown };

export function readsOf(reading: Reading): Reads {
  const { storage } = reading;
  const documents = openDocuments(storage);
  const rows = new Map<ThreadId, KnownRow>();
  const rowIn = async (listed: ListedThread, views: ThreadViews): Promise<unknown> => {
    const key = JSON.stringify(listed);
    const known = rows.get(listed.thread) ?? null;
    const isSame = known?.key === key;
    // What has ended stays as it is, and is not read again.
    if (isSame && listed.kind === "ended") return known.row;
    const view = await views.of(listed);
    if (isSame && known.state === view.state) return known.row;
    const row = await readRow(reading, view, views);
    rows.set(listed.thread, { key, state: view.state, row });
    return row;
  };
  return {
    overview: async (most) => {
      const list = await openThreadList(storage, { all: true });
      if (!list.ok) return list;
      const workflows = await workflowSummaries(storage);
      if (!workflows.ok) return workflows;
      const listed = await withThreadViews(storage, async (views) => {
        const threads: unknown[] = [];
        for (const thread of list.value.ids.slice(-most).reverse()) {
          const state = list.value.state(thread);
          if (state === null) continue;
          threads.push(await rowIn(state, views));
        }
        return { threads, undecided: undecidedWords(views.undecided()) };
      });
      const names = workflows.value.map(({ name, source }) => ({
        name,
        description: source?.description ?? "",
      }));
      return ok({ ...listed, total: list.value.ids.length, workflows: names });
    },
    thread: async (thread) => {
      const state = await findThread(storage, thread);
      if (!state.ok) return state;
      return ofOneThread(state.value.thread, () =>
        withThreadViews(storage, async (views) => {
          const view = await views.found(state.value);
          if (!view.ok) return view;
          const report = await reportFor(reading, view.value, { documents, views });
          return report.ok ? threadDocument(storage, view.value, report.value) : report;
        }),
      );
    },
    texts: (step) => {
      const history = openHistory(storage.cas, step);
      if (!history.ok) return history;
      const { newest } = history.value;
      const texts = newest === null ? ok([]) : detailTexts(storage.cas, newest.payload.detail);
      return texts.ok ? ok(visibleTexts(texts.value)) : texts;
    },
    file: (hash) => {
      const file = readStoredFile(storage.cas, hash);
      return file.ok ? ok(file.value.bytes) : file;
    },
    head: async (thread) => {
      const state = await findThread(storage, thread);
      if (!state.ok) return state;
      return ok(state.value.kind === "ended" ? null : state.value.head);
    },
  };
}

async function reportFor(
  { context, storage }: Reading,
  view: ThreadView,
  shared: { readonly documents: Documents | null; readonly views: ThreadViews },
): Promise<Result<ThreadReport, Fault>> {
  const reading = openReading(context, storage, { explained: false, texts: false, ...shared });
  if (!reading.ok) return reading;
  const facts = await threadFacts(reading.value, view);
  return facts.ok ? ok(reportOf(facts.value)) : facts;
}

async function readRow(reading: Reading, view: ThreadView, views: ThreadViews): Promise<unknown> {
  const { thread, state } = view;
  const none = { thread, name: "", task: "", state, steps: 0, cost: "" };
  const summary = await ofOneThread(thread, async () => {
    const report = await reportFor(reading, view, { documents: null, views });
    return report.ok ? ok(threadSummary(report.value)) : report;
  });
  if (!summary.ok) return { ...none, damage: messageOf(summary.error) };
  const { workflow, task, steps, total } = summary.value;
  const cost = total.costUsd === null ? "unknown" : money(total.costUsd);
  return { thread, name: workflow.name, task, state, steps, cost, damage: null };
}

function threadDocument(storage: Storage, view: ThreadView, report: ThreadReport): Result<unknown, Fault> {
  const { thread, head, name, state, held, run } = view;
  const asked = askedIn(storage, view);
  if (!asked.ok) return asked;
  return ok({
    ...{ thread, head, done: view.ended !== null, name, state },
    running: run.running !== null,
    paused: held?.for === "resume",
    html: reportBody(report),
    steps: report.steps.map(({ number, role, hash }) => ({ number, role, hash })),
    asked: asked.value,
  });
}

/** What a person is asked, with the schema of an answer. */
function askedIn(storage: Storage, { head, history, held }: ThreadView): Result<unknown, Fault> {
  if (history === null || held?.for !== "answer" || held.role === null) return ok(null);
  const { role } = held;
  const asked = buildQuestion(storage.cas, history, role);
  return asked.ok ? ok({ role, head, question: asked.value.question, schema: asked.value.meta }) : asked;
}
