import type { ReportedFault } from "./faults/index.js";
import type { CasRef, ThreadId } from "./ids.js";
import type { Usage } from "./nodes.js";
import type { HistoryReason } from "./workflow.js";

// CSI, OSC (ended by BEL or ST) and two-character escape sequences, then the other control characters.
const TERMINAL_CODES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The last line of an agent's stdout that is not empty without terminal codes and CR; `null` if there is none. */
export function lastLine(stdout: string): string | null {
  const lines = stdout.split("\n");
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = (lines[index] ?? "").replace(TERMINAL_CODES, "").trim();
    if (line !== "") return line;
  }
  return null;
}

/** A folder: its path, and the numbers by which the file system knows it. */
export type FolderIdentity = { readonly folder: string; readonly device: string; readonly inode: string };

/** `runs/<thread>/<token>/run.json`: written before the agent starts. */
export type RunRecord = {
  readonly token: string;
  readonly head: CasRef;
  readonly role: string;
  readonly command: readonly string[];
  /** Epoch ms. */
  readonly startedAt: number;
  /** Where it was started, so that another machine, container or boot can decide whether its agent may be alive. */
  readonly host: string | null;
  readonly machineId: string | null;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  /** The folder of runs that it was made in, so that its copy in another storage root is known as one. */
  readonly place: FolderIdentity | null;
  /** Which run of its step it is, by retries: from 1. */
  readonly attempt: number;
};

/**
 * `runs/<thread>/ending`: the thread is being archived; the next process that takes its lock completes it.
 */
export type EndingRecord = {
  readonly head: CasRef;
  readonly reason: HistoryReason;
  /** Epoch ms. */
  readonly completedAt: number;
};

/** One line of `history.jsonl`; `remote`: a remote had the thread, which this root had given it or had from there. */
export type HistoryLine = ThreadEnd | (ThreadEnd & { readonly remote: true });

type ThreadEnd = {
  readonly thread: ThreadId;
  readonly workflow: CasRef;
  readonly head: CasRef;
  /** Epoch ms. */
  readonly completedAt: number;
  readonly reason: HistoryReason;
};

/** One line of `removed.jsonl`: the end of a thread, as history.jsonl has it, that was removed. */
export type RemovedLine = {
  readonly thread: ThreadId;
  /** Epoch ms: which of its ends. */
  readonly completedAt: number;
  /** Epoch ms; `null`: an import has brought it back. */
  readonly at: number | null;
};

/** One line of `children.jsonl`: a thread that another one has started. */
export type ChildLine = {
  readonly child: ThreadId;
  readonly parent: ThreadId;
  /** Where the parent stood. */
  readonly head: CasRef;
  /** Of the parent's workflow. */
  readonly role: string;
  /** Which of several, from 0; `null`: the only one. */
  readonly item: number | null;
  /** Epoch ms. */
  readonly at: number;
};

/** One line of `registry-history.jsonl`: a name that was given to another workflow, or taken from one. */
export type RegistryLine = {
  readonly name: string;
  /** `null`: the name was removed. */
  readonly hash: CasRef | null;
  /** `null`: the name was new. */
  readonly previous: CasRef | null;
  /** The content node with the YAML as it was put; `null`: not kept, as after a rollback to a version without it. */
  readonly source: CasRef | null;
  /** Epoch ms. */
  readonly at: number;
};

/** One line of `logs/<yyyy-mm-dd>.jsonl`; further fields follow by tag. */
export type LogLine = {
  readonly tag: string;
  readonly content: string;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly thread?: ThreadId;
};

/** One line of `runs/<thread>/notes.jsonl`, and of the copy that a run gets: what a person says to the next run. */
export type NoteLine = {
  readonly text: string;
  /** As they say themselves. */
  readonly by: string;
  /** Epoch ms. */
  readonly at: number;
};

const SESSION_ID = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/** Whether a text can be a session's id. It becomes a word of an agent's command line: never an option, never a path. */
export function isSessionId(value: unknown): value is string {
  return typeof value === "string" && SESSION_ID.test(value);
}

/** `runs/<thread>/<token>/report.json`: what the kit reports about its run, for the log, and for who watches. */
export type RunReport = {
  /** Of the form of `isSessionId`. */
  readonly sessionId: string | null;
  /** The absolute path of the folder that the session belongs to. */
  readonly cwd: string | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  /** What the model has used that was to read the output out of the reply; `null`: unknown, or there was none. */
  readonly extractUsage: Usage | null;
  /** The raw reply, kept as a content node. */
  readonly raw: CasRef | null;
  /** Why the run failed, for uwf to print; `null`: not reported (yet). */
  readonly fault: ReportedFault | null;
  /** The last line that the model has written, for watchers; `null`: not reported. */
  readonly words: string | null;
};
