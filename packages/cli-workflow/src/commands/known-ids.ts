import type { CasRef } from "@uncaged/workflow-protocol";
import { openThreadList, readWorkflow, type Storage } from "@uncaged/workflow-store";
import { shortIds } from "../screen/index.js";

// Names that a person reads in the place of ids and hashes.

/** The id of a thread as a list shows it; the whole id where the list cannot be read. */
export async function readShortIds(storage: Storage): Promise<(id: string) => string> {
  const list = await openThreadList(storage, { all: false });
  return list.ok ? shortIds(list.value.everyId(), list.value.ended) : (id) => id;
}

/** The name of a workflow; its hash where it cannot be read. */
export function workflowName({ cas }: Storage, hash: CasRef): string {
  const workflow = readWorkflow(cas, hash);
  return workflow.ok ? workflow.value.payload.name : hash;
}
