import { putSchema } from "@uncaged/json-cas";
import type { CasRef, Fault, Result } from "@uncaged/workflow-protocol";
import { attemptAsync, ensureTypes, putWorkflow, type Storage } from "@uncaged/workflow-store";
import type { AssembledWorkflow } from "./assemble.js";

/** Stores the roles' schemas and the workflow; the same content gives the same hash. */
export function storeWorkflow(
  storage: Storage,
  assembled: AssembledWorkflow,
): Promise<Result<CasRef, Fault>> {
  return attemptAsync(async () => {
    await ensureTypes(storage.cas);
    for (const schema of assembled.schemas) await putSchema(storage.cas, schema);
    return putWorkflow(storage.cas, assembled.payload);
  });
}
