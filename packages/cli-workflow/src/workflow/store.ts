import { putSchema, type Store } from "@uncaged/json-cas";
import type { CasRef, Fault, Result } from "@uncaged/workflow-protocol";
import { attemptAsync, ensureTypes, putWorkflow, type Storage } from "@uncaged/workflow-store";
import type { AssembledWorkflow } from "./assemble.js";

/** Stores the roles' schemas and the workflow; the same content gives the same hash. */
export function storeWorkflow(
  storage: Storage,
  assembled: AssembledWorkflow,
): Promise<Result<CasRef, Fault>> {
  const write = async (cas: Store): Promise<CasRef> => {
    await ensureTypes(cas);
    for (const schema of assembled.schemas) await putSchema(cas, schema);
    return putWorkflow(cas, assembled.payload);
  };
  return attemptAsync(() => storage.cas.together(write));
}
