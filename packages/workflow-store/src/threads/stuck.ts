import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { isHash } from "@uncaged/json-cas";
import { errnoOf, ioFault, makeDir, refuseLink, writeFileAtomic } from "@uncaged/json-cas-fs";
import {
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type RoutingFailure,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { readText } from "../files/index.js";
import { isEpochMs, parseRecord } from "../json/index.js";
import { threadRunsPath } from "../runs/index.js";
import type { Storage } from "../storage/index.js";

// A decision that fails on a head fails there again, and only a step learns of it. `runs/<thread>/stuck.json` tells those who
// list many threads, without a look into the log for each. Of another head than the thread's it says nothing any more.

type Place = { readonly thread: ThreadId; readonly head: string };

/** Why no decision leads on from the thread's head; `null` where none has failed there. */
export function readStuck(storage: Storage, { thread, head }: Place): Result<RoutingFailure | null, Fault> {
  const file = stuckPath(storage, thread);
  const text = readText(file);
  if (!text.ok || text.value === null) return text.ok ? ok(null) : text;
  const record = parseRecord(text.value);
  const failure = record === null ? null : asFailure(record);
  if (record === null || failure === null || !isHash(record.head)) {
    return err(
      fault("STORE_DAMAGED", { file, reason: "it is no {head, code, message, hint, role, timestamp}" }),
    );
  }
  return ok(record.head === head ? failure : null);
}

function asFailure(record: Readonly<Record<string, unknown>>): RoutingFailure | null {
  const { code, message, hint, role, timestamp } = record;
  const isKnown =
    typeof code === "string" &&
    typeof message === "string" &&
    typeof hint === "string" &&
    typeof role === "string" &&
    isEpochMs(timestamp);
  return isKnown ? { outcome: "routing", code, message, hint, role, timestamp } : null;
}

/** Needs the thread's lock. */
export function writeStuck(
  storage: Storage,
  { thread, head }: Place,
  { outcome: _, ...failure }: RoutingFailure,
): Result<void, Fault> {
  return attempt(() => {
    const folder = threadRunsPath(storage, thread);
    refuseLink(folder);
    makeDir(folder);
    writeFileAtomic(stuckPath(storage, thread), `${JSON.stringify({ head, ...failure })}\n`, { mode: null });
  });
}

/** A decision leads on after all: a limit was hit once, or uwf is another version now. Needs the thread's lock. */
export function clearStuck(storage: Storage, thread: ThreadId): Result<void, Fault> {
  const file = stuckPath(storage, thread);
  return attempt(() => {
    try {
      unlinkSync(file);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw ioFault("remove", file, error);
    }
  });
}

function stuckPath(storage: Storage, thread: ThreadId): string {
  return join(threadRunsPath(storage, thread), "stuck.json");
}
