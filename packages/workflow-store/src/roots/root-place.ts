import type { Root } from "@uncaged/json-cas-fs";
import type { CasRef } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { parseRecord } from "../json.js";
import { linesOf, logDays } from "../logs.js";
import { readRegistryHistory } from "../registry.js";
import { findRuns } from "../runs/index.js";
import type { Storage } from "../storage.js";
import { threadsWithRuns } from "../threads/index.js";
import { hashesOfRun } from "./roots.js";

/**
 * Says in words which file names a root that is not required; `null`: none does any more, or it need not be
 * said.
 */
export function placeOfRoot(storage: Storage, { hash, label }: Root): string | null {
  switch (label) {
    case "logs":
      return placeInLogs(storage, hash);
    case "runs":
      return placeInRuns(storage, hash);
    case "registry history":
      return placeInRegistry(storage, hash);
    default:
      return null;
  }
}

function placeInLogs(storage: Storage, hash: CasRef): string | null {
  const days = logDays(storage, null);
  if (!days.ok) return null;
  const found = attempt(() => {
    for (const { file } of days.value) {
      for (const { bytes } of linesOf(file, 0)) {
        const line = bytes?.toString("utf8") ?? "";
        if (!line.toUpperCase().includes(hash)) continue;
        const thread = parseRecord(line)?.thread;
        return `${file}${typeof thread === "string" ? `, about thread ${thread}` : ""}`;
      }
    }
    return null;
  });
  return found.ok ? found.value : null;
}

function placeInRuns(storage: Storage, hash: CasRef): string | null {
  const threads = threadsWithRuns(storage);
  for (const thread of threads.ok ? threads.value : []) {
    const runs = findRuns(storage, thread);
    const run = runs.ok ? runs.value.find((each) => hashesOfRun(each).includes(hash)) : undefined;
    if (run !== undefined) return `a run of ${run.record.role} in thread ${thread}`;
  }
  return null;
}

function placeInRegistry(storage: Storage, hash: CasRef): string | null {
  const changes = readRegistryHistory(storage);
  const change = changes.ok
    ? changes.value.find((each) => [each.hash, each.previous, each.source].includes(hash))
    : undefined;
  return change === undefined ? null : `an earlier version of workflow ${change.name}`;
}
