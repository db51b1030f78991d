import { join } from "node:path";
import { makeDir, refuseLink, writeFileAtomic } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { readText } from "../files/index.js";
import { parseRecord } from "../json/index.js";
import type { Storage } from "../storage/index.js";
import { threadRunsPath } from "./paths.js";

/** With a dot, which no token of a run has. */
const FOLDER_FILE = "cwd.json";

/** The folder in which the thread's agents work, absolute; `null` for a thread that has none yet, or has ended. */
export function readFolder(storage: Storage, thread: ThreadId): Result<string | null, Fault> {
  const file = folderPath(storage, thread);
  const text = readText(file);
  if (!text.ok || text.value === null) return text.ok ? ok(null) : text;
  const cwd = parseRecord(text.value)?.cwd;
  if (typeof cwd === "string" && cwd.startsWith("/")) return ok(cwd);
  // It appears complete or not at all: this is damage.
  return err(fault("STORE_DAMAGED", { file, reason: "it tells no folder" }));
}

/** Tells it, durably. Needs the thread's lock, or a thread that nobody knows yet. */
export function keepFolder(storage: Storage, thread: ThreadId, cwd: string): Result<void, Fault> {
  return attempt(() => {
    const parent = threadRunsPath(storage, thread);
    refuseLink(parent);
    makeDir(parent);
    writeFileAtomic(folderPath(storage, thread), `${JSON.stringify({ cwd })}\n`, { mode: null });
  });
}

function folderPath(storage: Storage, thread: ThreadId): string {
  return join(threadRunsPath(storage, thread), FOLDER_FILE);
}
