import { amount, type Kind, period, text, wholeNumber } from "@uncaged/command-line";
import type { FaultCode } from "@uncaged/workflow-protocol";

// The kinds of values that commands of uwf take: what help says of them, where completion finds them, and the faults that
// each may lead to.

type Rest = {
  readonly about?: string;
  readonly candidates?: Kind<string>["candidates"];
  readonly faults?: readonly FaultCode[];
};

function kind(name: string, rest: Rest = {}): Kind<string> {
  return text(name, rest);
}

/** Where completion finds candidates that no definition lists. */
export type Source =
  | "threads"
  | "active threads"
  | "ended threads"
  | "workflows"
  | "agents"
  | "roles of the thread"
  | "roles of the thread, done"
  | "roles of the workflow"
  | "topics";

export const THREAD = kind("thread", {
  about:
    "an id, a unique beginning or end of one, or `latest`: the newest thread that was started in this folder, of this storage root only",
  candidates: "threads" satisfies Source,
  faults: ["THREAD_NOT_FOUND", "NO_LATEST_THREAD", "NODE_MISSING", "WRONG_NODE_TYPE"],
});

/** One that takes steps. */
export const ACTIVE_THREAD: Kind<string> = { ...THREAD, candidates: "active threads" satisfies Source };

export const ENDED_THREAD: Kind<string> = { ...THREAD, candidates: "ended threads" satisfies Source };

export const WORKFLOW = kind("workflow", {
  about:
    "a path (with / or ending in .yaml), a hash, a name in .workflows/ of this project, or a registered name",
  candidates: "workflows" satisfies Source,
  faults: [
    "WORKFLOW_NOT_FOUND",
    "INVALID_WORKFLOW",
    "FILE_NOT_FOUND",
    "INVALID_INPUT",
    "TOO_LARGE",
    "NODE_MISSING",
    "WRONG_NODE_TYPE",
  ],
});

/** One that is stored. */
export const STORED_WORKFLOW = kind("workflow", {
  about: "a registered name or a hash",
  candidates: "workflows" satisfies Source,
  faults: ["WORKFLOW_NOT_FOUND", "NODE_MISSING", "WRONG_NODE_TYPE"],
});

/** The name of a registered workflow. */
export const REGISTERED = kind("name", {
  candidates: "workflows" satisfies Source,
  faults: ["WORKFLOW_NOT_FOUND"],
});

/** The hash of a node. */
export const HASH = kind("hash", {
  about: "the hash of a node, or a unique beginning of it",
  faults: ["NODE_MISSING", "WRONG_NODE_TYPE"],
});

/** A role of the workflow that the command names. */
export const ROLE_OF_WORKFLOW = kind("role", {
  about: "a role of the workflow",
  candidates: "roles of the workflow" satisfies Source,
});

/** A role of the thread that the command names. */
export const ROLE = kind("role", {
  about: "a role of the workflow",
  candidates: "roles of the thread" satisfies Source,
});

/** A role of the thread, or `done`: its end. */
export const ROLE_OR_DONE: Kind<string> = {
  ...ROLE,
  candidates: "roles of the thread, done" satisfies Source,
};

export const TEXT = kind("text", {
  about: "the text; - reads it from stdin",
  faults: ["TOO_LARGE", "INVALID_INPUT"],
});

/** The task of a thread. */
export const PROMPT = kind("prompt", { faults: ["TOO_LARGE", "INVALID_INPUT"] });

/** A file that is read. */
export const PATH = kind("path", { faults: ["FILE_NOT_FOUND", "TOO_LARGE", "INVALID_INPUT"] });

/** A file that is written. */
export const OUTPUT = kind("file", { faults: ["FILE_EXISTS", "INVALID_INPUT"] });

export const FOLDER = kind("folder", { faults: ["INVALID_INPUT"] });

/** Of a new thread. */
export const KEY = kind("key", { faults: ["INVALID_INPUT", "KEY_TAKEN"] });

export const NAME = kind("name");

/** An alias of config.yaml, or a command with its arguments. */
export const AGENT = kind("command", { candidates: "agents" satisfies Source, faults: ["AGENT_NOT_FOUND"] });

/** Any number of things from 0. */
export const COUNT = wholeNumber("count", 0);

/** At least one. */
export const POSITIVE = wholeNumber("count", 1);

export const USD = amount("usd");

export const MINUTES = amount("minutes");

export const SECONDS = amount("seconds", "It must be a number of seconds, as in --wait=30.");

/** In ms. */
export const TIME = period("time");

/** What `--since` takes. The command reads it: what it means depends on the clock. */
export const WHEN = kind("when");

/** What a `WHEN` can be. */
export const WHEN_WORDS = "90s, 15m, 2h, 3d ago (a bare number: seconds); or a date or time in UTC";
