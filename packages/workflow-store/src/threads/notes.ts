import { removeIfThere, replaceFile } from "@uncaged/json-cas-fs";
import { type Fault, type NoteLine, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { damaged, readText } from "../files.js";
import { isEpochMs, isText, parseRecord, shapeOf } from "../record.js";
import type { RunDir } from "../run-dir.js";
import type { Storage } from "../storage.js";
import { threadFilePath, writeThreadFile } from "../thread-records.js";
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
  const text = readText(file);
  if (!text.ok || text.value === null) return text.ok ? ok([]) : text;
  const lines = text.value.split("\n").filter((line) => line !== "");
  const notes = lines.map((line) => NOTE.read(parseRecord(line) ?? {})).filter((note) => note !== null);
  return notes.length === lines.length ? ok(notes) : damaged(file, "a line of it is not {text, by, at}");
}

const NOTE = shapeOf<NoteLine>({ text: isText, by: isText, at: isEpochMs });

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
    if (rest.length > 0) return writeThreadFile(storage, thread, NOTES, textOf(rest), PRIVATE);
    return attempt(() => void removeIfThere(threadFilePath(storage, thread, NOTES)));
  });
}

function textOf(notes: readonly NoteLine[]): string {
  return notes.map((note) => `${JSON.stringify(note)}\n`).join("");
}
