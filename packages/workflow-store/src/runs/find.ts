import { existsSync } from "node:fs";
import { isHash } from "@uncaged/json-cas";
import {
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type RunRecord,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { folderNames, readText } from "../files/index.js";
import { isEpochMs, parseRecord } from "../json/index.js";
import type { Storage } from "../storage/index.js";
import { runDirOf, threadRunsPath } from "./paths.js";
import type { DamagedRun, FoundRun, RunDir, SurveyedRuns } from "./types.js";

/** The runs of a thread that nobody has taken away, oldest first; there is more than one only if somebody meddled. */
export function findRuns(storage: Storage, thread: ThreadId): Result<readonly FoundRun[], Fault> {
  const found = surveyRuns(storage, thread);
  if (!found.ok) return found;
  const [first] = found.value.damaged;
  return first === undefined ? ok(found.value.runs) : err(first.damage);
}

/** The same with those that cannot be read apart: for who has to end what there is, and takes no result over. */
export function surveyRuns(storage: Storage, thread: ThreadId): Result<SurveyedRuns, Fault> {
  const names = attempt(() => folderNames(threadRunsPath(storage, thread)));
  if (!names.ok) return names;
  const runs: FoundRun[] = [];
  const damaged: DamagedRun[] = [];
  for (const name of names.value) {
    const run = runDirOf(storage, thread, name);
    if (run === null) continue;
    const record = readRunRecord(run);
    if (!record.ok) damaged.push({ run, damage: record.error });
    else if (record.value !== null) runs.push({ ...run, record: record.value });
  }
  return ok({ runs: runs.sort((a, b) => a.record.startedAt - b.record.startedAt), damaged });
}

/** A run's run.json; `null` when there is nothing of a run: not one, or one that was taken away at this moment. */
export function readRunRecord(files: RunDir): Result<RunRecord | null, Fault> {
  const { runFile, token } = files;
  const text = readText(runFile);
  if (!text.ok) return text;
  if (text.value === null) return absent(files);
  const record = asRunRecord(text.value);
  if (record !== null && record.token === token) return ok(record);
  const reason = record === null ? "it is no run" : `it is of the run ${record.token}`;
  return err(fault("STORE_DAMAGED", { file: runFile, reason }));
}

/** A run appears and goes as a whole: where its agent has left something, a run.json has been lost, and perhaps a result. */
function absent({ runFile, pidFile, stdout }: RunDir): Result<null, Fault> {
  if (!existsSync(pidFile) && !existsSync(stdout)) return ok(null);
  return err(
    fault("STORE_DAMAGED", { file: runFile, reason: "it is gone, and the rest of the run is there" }),
  );
}

function asRunRecord(text: string): RunRecord | null {
  const record = parseRecord(text);
  if (record === null) return null;
  const { token, head, role, command, startedAt, attempt: count = 1 } = record;
  const known = typeof token === "string" && isHash(head) && typeof role === "string" && isEpochMs(startedAt);
  if (!known || !isTexts(command) || typeof count !== "number") return null;
  // Older runs tell less of where they were started.
  const { host = null, machineId = null, bootId = null, pidNamespace = null } = record;
  if (!isTextOrNull(host) || !isTextOrNull(machineId)) return null;
  if (!isTextOrNull(bootId) || !isTextOrNull(pidNamespace)) return null;
  return { token, head, role, command, startedAt, host, machineId, bootId, pidNamespace, attempt: count };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}
