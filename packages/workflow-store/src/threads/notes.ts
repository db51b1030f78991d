import { replaceFile } from "@uncaged/json-cas-fs";
import {
  err,
  type Fault,
  fault,
  type NoteLine,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { readRecord } from "../files.js";
import { isEpochMs, parseRecord } from "../json.js";
import { type RunDir, removeThreadFile, threadFilePath, writeThreadFile } from "../runs/index.js";
import type { Storage } from "../storage.js";
import { whileActive } from "./hold.js";

// runs/<thread>/notes.jsonl           what people say to the next run, a line each; replaced by rename, under the index lock
// runs/<thread>/<token>/notes.jsonl   those that a run was given: they leave the first file when its step is recorded

const NOTES = "notes.jsonl";

const PRIVATE = 0o600;

/** Notes that people left for the thread's next run; empty if there are none. */
export function readNotes(storage: Storage, thread: ThreadId): Result<readonly NoteLine[], Fault> {
  return notesIn(threadFilePath(storage, thread, NOTES));
}

/** Notes that people left for this run. */
export function notesOfRun(run: RunDir): Result<readonly NoteLine[], Fault> {
  return notesIn(run.notes);
}

function notesIn(file: string): Result<readonly NoteLine[], Fault> {
  const text = readRecord(file);
  if (!text.ok || text.value === null) return text.ok ? ok([]) : text;
  const lines = text.value.split("\n").filter((line) => line !== "");
  const notes = lines.map((line) => asNote(parseRecord(line) ?? {})).filter((note) => note !== null);
  if (notes.length === lines.length) return ok(notes);
  return err(fault("STORE_DAMAGED", { file, reason: "a line of it is not {text, by, at}" }));
}

function asNote({ text, by, at }: Readonly<Record<string, unknown>>): NoteLine | null {
  const isKnown = typeof text === "string" && typeof by === "string" && isEpochMs(at);
  return isKnown ? { text, by, at } : null;
}

/** Gives how many notes wait for the next run. Takes the index lock. */
export function addNote(storage: Storage, thread: ThreadId, note: NoteLine): Promise<Result<number, Fault>> {
  return whileActive(storage, thread, () => {
    const there = readNotes(storage, thread);
    if (!there.ok) return there;
    const notes = [...there.value, note];
    const written = writeThreadFile(storage, thread, NOTES, textOf(notes), PRIVATE);
    return written.ok ? ok(notes.length) : written;
  });
}

/** Gives a run its notes, before its agent starts. `false`: there are none. */
export function giveNotes(run: RunDir, notes: readonly NoteLine[]): Result<boolean, Fault> {
  return attempt(() => {
    if (notes.length > 0) replaceFile(run.notes, textOf(notes), PRIVATE);
    return notes.length > 0;
  });
}

/** The notes of a run have been heard: its step is recorded. Those that came since stay. Takes the index lock. */
export async function dropNotes(
  storage: Storage,
  thread: ThreadId,
  run: RunDir,
): Promise<Result<void, Fault>> {
  const delivered = notesOfRun(run);
  if (!delivered.ok || delivered.value.length === 0) return delivered.ok ? ok(undefined) : delivered;
  return whileActive(storage, thread, () => {
    const there = readNotes(storage, thread);
    if (!there.ok) return there;
    const rest = there.value.slice(delivered.value.length);
    return rest.length > 0
      ? writeThreadFile(storage, thread, NOTES, textOf(rest), PRIVATE)
      : removeThreadFile(storage, thread, NOTES);
  });
}

function textOf(notes: readonly NoteLine[]): string {
  return notes.map((note) => `${JSON.stringify(note)}\n`).join("");
}
