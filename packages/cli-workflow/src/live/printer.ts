import { isHash, type JsonValue } from "@uncaged/json-cas";
import {
  type CasRef,
  eventKindIn,
  type Held,
  type HeldThread,
  type ThreadId,
  type ThreadPsItem,
  wayOn,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  type EndedThread,
  type LogEntry,
  readChainNode,
  type Storage,
  type ThreadState,
} from "@uncaged/workflow-store";
import { logDocument } from "../follow.js";
import type { Host } from "../io.js";
import { type Format, linesRenderer } from "../render.js";
import {
  cut,
  duration,
  heldState,
  logLines,
  oneLine,
  paintOn,
  type Screen,
  summaryOf,
} from "../screen/index.js";
import { frameOn, goneWords, viewLines } from "./view.js";

/** An event, reported once to each follower. */
export type LiveEvent =
  /** What is followed; `null`: everything that runs. */
  | { readonly kind: "following"; readonly state: ThreadState | null }
  | { readonly kind: "running"; readonly item: ThreadPsItem }
  /** The next step of the thread would start nothing. */
  | { readonly kind: "held"; readonly thread: ThreadId; readonly head: CasRef; readonly held: Held }
  /** The uwf of a run has died, or its agent too. */
  | ({ readonly kind: "abandoned" } & LostRun)
  /** A run has ended, or something was done to a thread. */
  | { readonly kind: "logged"; readonly entry: LogEntry }
  /** The thread that is followed is over. */
  | { readonly kind: "ended"; readonly state: EndedThread };

/** A run under way. */
export type LiveRun = {
  readonly thread: ThreadId;
  readonly role: string;
  readonly attempt: number;
  /** Epoch ms. */
  readonly since: number;
  /** Which process of it is gone: its uwf, or its agent too; `null`: neither. */
  readonly gone: "uwf" | "both" | null;
  /** The last line that its agent has written, cleaned; "" if there is none. */
  readonly lastLine: string;
};

/** A run whose uwf is gone. */
export type LostRun = {
  readonly thread: ThreadId;
  readonly role: string;
  readonly gone: "uwf" | "both";
};

/** The view between two events. */
export type LiveView = {
  readonly runs: readonly LiveRun[];
  /** Threads that a uwf holds without a run: it decides, or records. */
  readonly between: readonly ThreadId[];
  /** What the thread that is followed waits for. */
  readonly held: HeldThread | null;
};

/** Shows a follower the events, and the view between them. */
export type LivePrinter = {
  readonly tell: (event: LiveEvent) => Promise<void>;
  readonly show: (view: LiveView) => void;
  readonly end: () => void;
};

type Output = Pick<Host, "stdout" | "now">;

/** A document per event, for programs. */
export function documentPrinter({ stdout, now }: Output, format: Format): LivePrinter {
  const renderer = linesRenderer(format);
  return {
    tell: async (event) => {
      if (!isRunAgain(event)) stdout.write(await renderer.item(documentOf(event, now())));
    },
    show: () => {},
    end: () => {},
  };
}

/** The start of an agent is printed as `running`, with its processes, while it works. */
function isRunAgain(event: LiveEvent): boolean {
  return event.kind === "logged" && eventKindIn(event.entry.line) === "agent";
}

function documentOf(event: LiveEvent, now: number): object {
  const time = new Date(now).toISOString();
  switch (event.kind) {
    case "following": {
      const { state } = event;
      const at = state === null ? {} : { head: state.head, done: state.kind === "ended" };
      return { time, event: "following", thread: state?.thread ?? null, ...at };
    }
    case "running": {
      const { run } = event.item;
      const since = run === null ? time : new Date(run.since).toISOString();
      return { time: since, event: "running", ...event.item };
    }
    case "abandoned": {
      const { thread, role, gone } = event;
      return { time, event: "abandoned", thread, role, agentAlive: gone === "uwf" };
    }
    case "held":
      return { time, event: "held", thread: event.thread, held: event.held };
    case "logged":
      return logDocument(event.entry);
    case "ended": {
      const { thread, workflow, head, reason } = event.state;
      const name = reason === "killed" ? "killed" : "ended";
      return { time, event: name, thread, workflow, head, done: true, reason };
    }
  }
}

/** What people read. */
type Words = {
  readonly screen: Screen;
  readonly storage: Storage;
  readonly idOf: (thread: string) => string;
};

/** A line per event, for people. */
export function linePrinter({ stdout, now }: Output, words: Words): LivePrinter {
  const renderer = logLines(words.screen, words.idOf);
  return {
    tell: async (event) => {
      if (!isRunAgain(event)) stdout.write(await renderer.item(asEntry(event, now(), words)));
    },
    show: () => {},
    end: () => {},
  };
}

/** Lines for events, and below them what runs, which changes in place. */
export function terminalPrinter({ stdout, now }: Output, words: Words): LivePrinter {
  const frame = frameOn(stdout);
  const lines = linePrinter({ now, stdout: { ...stdout, write: frame.print } }, words);
  const { screen, idOf } = words;
  const paint = paintOn(screen);
  return {
    // The view below shows what runs.
    tell: async (event) => (SEEN.has(event.kind) ? undefined : lines.tell(event)),
    show: (view) => {
      const width = (stdout.columns() ?? screen.width) - 1;
      frame.show(viewLines(view, { width, now: now(), paint, idOf }));
    },
    end: frame.clear,
  };
}

const SEEN: ReadonlySet<LiveEvent["kind"]> = new Set(["following", "running"]);

/** Our own events in the form of the log's, and steps with their output. */
function asEntry(event: LiveEvent, timestamp: number, words: Words): LogEntry {
  if (event.kind === "logged") return { ...event.entry, content: stepWords(event.entry, words) };
  const [thread, content] = wordsOf(event, words);
  return { tag: "", timestamp, thread, content, line: { event: event.kind } };
}

/** Columns before a sentence: a time and a short id. */
const BEFORE = 28;

/** Columns of an output at least, on however narrow a screen. */
const NARROWEST = 50;

/** `reviewer recorded as 7YQ5C0QZ2T1VA in 42 s: approved: false, comments: …`; the output as far as the line goes. */
function stepWords({ content, line }: LogEntry, { screen, storage }: Words): string {
  const output = isHash(line.step) ? readOutput(storage, line.step) : null;
  const ms = line.durationMs;
  const begun = typeof ms === "number" && ms >= 0 ? `${content} in ${duration(ms)}` : content;
  if (output === null) return begun;
  const room = Math.max(NARROWEST, screen.width - BEFORE - begun.length - 2);
  return `${begun}: ${cut(oneLine(summaryOf(output)), room)}`;
}

function readOutput({ cas }: Storage, hash: Parameters<typeof readChainNode>[1]): JsonValue | null {
  const step = readChainNode(cas, hash);
  if (!step.ok || step.value.kind !== "step") return null;
  const { output } = step.value.payload;
  const node = attempt(() => cas.get(output));
  return node.ok ? (node.value?.payload ?? null) : null;
}

function wordsOf(
  event: Exclude<LiveEvent, { readonly kind: "logged" }>,
  { idOf }: Words,
): readonly [ThreadId | null, string] {
  switch (event.kind) {
    case "following":
      return event.state === null
        ? [null, "following everything that runs in this storage root"]
        : [event.state.thread, "following this thread and those below it"];
    case "running": {
      const { thread, run } = event.item;
      return [thread, run === null ? "runs" : `${run.role} runs: ${run.agent}`];
    }
    case "abandoned":
      return [event.thread, goneWords(event, idOf)];
    case "held":
      return [event.thread, heldSentence(event.thread, event.held, idOf)];
    case "ended":
      return [event.state.thread, ENDED[event.state.reason]];
  }
}

const ENDED = {
  end: "the thread has ended",
  failed: "the thread has ended as failed",
  killed: "the thread was killed",
} as const;

/** What it waits for, and the command that goes on from there. */
function heldSentence(thread: ThreadId, held: Held, idOf: Words["idOf"]): string {
  const command = wayOn({ thread, held }, idOf);
  const next = command === null || held.for === "change" ? "" : ` (${command})`;
  const asked = held.question === null ? "" : `: ${held.question}`;
  return `${heldState(held, thread, idOf)}${next}${asked}`;
}
