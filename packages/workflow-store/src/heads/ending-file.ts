import { join } from "node:path";
import { isHash } from "@uncaged/json-cas";
import { createFileExclusive, makeDir, refuseLink } from "@uncaged/json-cas-fs";
import {
  type EndingRecord,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { readText } from "../files/index.js";
import { isEpochMs, isReason, parseRecord } from "../json/index.js";
import { threadRunsPath } from "../runs/index.js";
import type { Storage } from "../storage/index.js";

/** `runs/<thread>/ending`, which stands from the decision to end a thread until its archive is complete; `null` when there is none. */
export function readEnding(storage: Storage, thread: ThreadId): Result<EndingRecord | null, Fault> {
  const file = endingPath(storage, thread);
  const text = readText(file);
  if (!text.ok || text.value === null) return text.ok ? ok(null) : text;
  const record = parseRecord(text.value);
  if (record !== null) {
    const { head, reason, completedAt } = record;
    if (isHash(head) && isReason(reason) && isEpochMs(completedAt)) return ok({ head, reason, completedAt });
  }
  // It appears complete or not at all: anything else is damage, not a torn write.
  return err(fault("STORE_DAMAGED", { file, reason: "it is no {head, reason, completedAt}" }));
}

/** Makes the decision durable. The first one stands: the caller, who holds the index lock, gets what is there now. */
export function createEnding(
  storage: Storage,
  thread: ThreadId,
  ending: EndingRecord,
): Result<EndingRecord, Fault> {
  const created = attempt(() => {
    refuseLink(threadRunsPath(storage, thread));
    makeDir(threadRunsPath(storage, thread));
    return createFileExclusive(endingPath(storage, thread), `${JSON.stringify(ending)}\n`);
  });
  if (!created.ok) return created;
  const there = created.value ? ok(ending) : readEnding(storage, thread);
  return there.ok ? ok(there.value ?? ending) : there;
}

export function endingPath(storage: Storage, thread: ThreadId): string {
  return join(threadRunsPath(storage, thread), "ending");
}
