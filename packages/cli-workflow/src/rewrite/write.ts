import type { Fault, Result } from "@uncaged/workflow-protocol";
import { attemptAsync, openStorage, putStart, putStep, type Storage } from "@uncaged/workflow-store";
import type { Rewrite } from "./types.js";

/**
 * Writes the nodes, what is referred to first; the workflow is stored already. Each bears the time of the node that it
 * stands for: the work is as old as it was, and a new thread has not done it.
 */
export function writeRewrite(storage: Storage, { start, steps }: Rewrite): Promise<Result<void, Fault>> {
  let time = start.timestamp;
  const past = openStorage(storage.root, { now: () => time });
  return attemptAsync(() =>
    past.cas.together(async (cas) => {
      await putStart(cas, start.payload);
      for (const { output, payload, timestamp } of steps) {
        time = timestamp;
        await cas.put(output.type, output.payload);
        await putStep(cas, payload);
      }
    }),
  );
}
