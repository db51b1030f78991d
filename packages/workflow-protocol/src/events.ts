import { type Hash, isHash, isObject, type JsonValue } from "@uncaged/json-cas";
import type { ThreadId } from "./ids.js";
import { asUsage } from "./usage.js";
import { type HistoryReason, isHistoryReason } from "./workflow.js";

// What happens to a thread, and above all in a step, as one stream. The log is its storage: each event is a line of it,
// `{tag, content, timestamp, thread, <as>: <kind>, …fields}`. A sink gets the same values whether it
// listens in the process that writes the line or reads the line later.

/** Reads a member of a line, which a person may have edited: a value of the wrong kind is `null`, as an absent one is. */
type Reader = (value: unknown) => unknown;
type Fields = Readonly<Record<string, Reader>>;

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const hash = (value: unknown): Hash | null => (isHash(value) ? value : null);
const number = (value: unknown): number | null => (typeof value === "number" ? value : null);
const flag = (value: unknown): boolean | null => (typeof value === "boolean" ? value : null);
const history = (value: unknown): HistoryReason | null => (isHistoryReason(value) ? value : null);
const usage = asUsage;
/** Something of an agent or of a command, three levels deep at most. */
const json = (value: unknown): JsonValue => (isStored(value) ? value : null);

function isStored(value: unknown): value is JsonValue {
  return isObject(value) || Array.isArray(value) || value === null || PLAIN.has(typeof value);
}

const PLAIN: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

/** How people see it: in the colour of success, of failure or of a wait, as something that was done, or like any line. */
export type EventTone = "good" | "bad" | "warn" | "strong" | "plain";

/** `sometimes`: members that not every writer of such a line has. */
function row<A extends "outcome" | "event", F extends Fields, S extends Fields>(
  as: A,
  tone: EventTone,
  fields: F,
  sometimes: S,
) {
  return { as, tone, fields, sometimes } as const;
}

/** `agent`: the program as it was started; `head`: the one that the run was started on. `null` if no process saw the end. */
const RUN = {
  role: text,
  agent: text,
  run: text,
  head: hash,
  attempt: number,
  durationMs: number,
  exitCode: number,
  signal: text,
};

const SESSION = { sessionId: text, cwd: text };

/** What is known of a run that gave no step. */
const FAILURE = {
  reason: text,
  retryAfter: number,
  stdout: text,
  stderr: text,
  extractUsage: usage,
  raw: json,
};

/** A role and its player: `agent` is the command without keys. */
const PLAYED = { role: text, agent: text, run: text, head: hash, attempt: number };

const ABOUT_HEAD = { head: hash };

/**
 * Every event: its word in the log, under `outcome` for the end of a run and under `event` for everything else, and its
 * members. A new event is a row here; those who show events do not compile until they say what they do with it.
 */
export const EVENTS = {
  /** An agent is about to start. */
  agent: row("event", "plain", PLAYED, {}),
  /** A run gave a step. `late`: its uwf had died, and another one found it recorded. */
  step: row("outcome", "good", { ...RUN, step: hash, usage }, { ...SESSION, writtenAt: number, late: flag }),
  /** A run whose uwf had died gave a step, and another uwf recorded it. */
  adopted: row("outcome", "plain", { ...RUN, step: hash, usage }, { ...SESSION, writtenAt: number }),
  /** A run gave no step, or one that came too late: then `step` is that one. */
  failed: row(
    "outcome",
    "bad",
    { ...RUN, code: text, usage, hint: text },
    { ...SESSION, step: hash, ...FAILURE },
  ),
  /** A run whose uwf had died gave no step. */
  abandoned: row(
    "outcome",
    "bad",
    { ...RUN, code: text, usage },
    { ...SESSION, ...FAILURE, hint: text, file: text },
  ),
  /** The agent of a run waits. */
  waiting: row("outcome", "warn", { ...RUN, code: text, usage }, {}),
  /** A step was made without a run: by a person, or as a default. */
  answered: row("event", "strong", { role: text, by: text, head: hash, step: hash }, {}),
  /** A run of a storage root of which this one is a copy was given up. */
  copied: row("event", "strong", { role: text, head: hash, run: text }, {}),
  /** No decision leads on from the head; once for each. */
  stuck: row("event", "strong", { code: text, role: text, head: text }, {}),
  ended: row("event", "strong", { head: hash, reason: history }, {}),
  killed: row("event", "strong", ABOUT_HEAD, {}),
  /** `cwd`: where its agents work. */
  started: row("event", "strong", { workflow: hash, head: hash, cwd: text }, { parent: json }),
  forked: row("event", "strong", { workflow: hash, head: hash, cwd: text }, { insteadOf: text }),
  removed: row("event", "strong", ABOUT_HEAD, {}),
  paused: row("event", "strong", { head: hash, why: text }, {}),
  resumed: row("event", "strong", ABOUT_HEAD, {}),
  noted: row("event", "strong", { head: hash, by: text }, {}),
  limited: row("event", "strong", ABOUT_HEAD, { maxSteps: number, maxCostUsd: number, maxMinutes: number }),
  unlocked: row("event", "strong", { lock: text, holder: json }, {}),
  /** A name of the registry; the only one that is about no thread. */
  named: row("event", "strong", { name: text, workflow: hash, previous: hash }, {}),
} as const;

export type EventKind = keyof typeof EVENTS;

type Values<F extends Fields> = { readonly [N in keyof F]: ReturnType<F[N]> };
type Row<K extends EventKind> = (typeof EVENTS)[K];

/** What its writer says of an event. */
export type EventFields<K extends EventKind> = Values<Row<K>["fields"]> &
  Partial<Values<Row<K>["sometimes"]>>;

/** An event as it is read; a member that its line does not have is `null`. */
export type ThreadEvent = {
  [K in EventKind]: { readonly kind: K } & Values<Row<K>["fields"]> & Values<Row<K>["sometimes"]>;
}[EventKind];

export type EventOf<K extends EventKind> = Extract<ThreadEvent, { readonly kind: K }>;

/** An event, with what its line says of it in words. */
export type LoggedEvent = {
  readonly thread: ThreadId | null;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly content: string;
  readonly event: ThreadEvent;
};

type Line = Readonly<Record<string, unknown>>;

/** The members of its line in the log, beside those that every line has. */
export function toEventLine<K extends EventKind>(
  kind: K,
  fields: EventFields<K>,
): Readonly<Record<string, JsonValue>> {
  const { as } = EVENTS[kind];
  const members = fields as Readonly<Record<string, JsonValue>>;
  // A line begins with what happened, or with whose run it was.
  const run = as === "event" ? [] : Object.entries(members).filter(([name]) => Object.hasOwn(RUN, name));
  return { ...Object.fromEntries(run), [as]: kind, ...members };
}

/** Which event a line of the log is about; `null`: none, or one that this uwf does not know. */
export function eventKindIn({ outcome, event }: Line): EventKind | null {
  const [as, word] = outcome === undefined ? ["event", event] : ["outcome", outcome];
  if (typeof word !== "string" || !Object.hasOwn(EVENTS, word)) return null;
  const kind = word as EventKind;
  return EVENTS[kind].as === as ? kind : null;
}

/** The gate from a line of the log to the event in it; `null`: it has none that this uwf knows. */
export function readEvent(line: Line): ThreadEvent | null {
  const kind = eventKindIn(line);
  if (kind === null) return null;
  const { fields, sometimes }: { readonly fields: Fields; readonly sometimes: Fields } = EVENTS[kind];
  const members = Object.entries({ ...fields, ...sometimes }).map(([name, read]) => [name, read(line[name])]);
  return { kind, ...Object.fromEntries(members) } as ThreadEvent;
}

/** What the line of such an event contains and no other: to search a log without parsing it. */
export function eventText(kind: EventKind): string {
  return `"${EVENTS[kind].as}":"${kind}"`;
}
