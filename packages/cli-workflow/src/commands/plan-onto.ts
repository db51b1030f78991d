import type { Store } from "@uncaged/json-cas";
import { type AssembledWorkflow, failedAt, targetName } from "@uncaged/workflow-engine";
import { decide } from "@uncaged/workflow-moderator";
import { err, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { type Chain, readContext } from "@uncaged/workflow-store";
import { planRewrite, type Rewrite } from "./rewrite.js";

type Source = {
  readonly cas: Store;
  readonly chain: Chain;
  /** The workflow as a person named it. */
  readonly named: string;
};

type Planned = { readonly rewrite: Rewrite; readonly next: string };

/** The history under the other workflow and its next role; fails if the thread would be stuck again. */
export async function planOnto(
  { cas, chain, named }: Source,
  workflow: AssembledWorkflow,
): Promise<Result<Planned, Fault>> {
  const context = readContext(cas, chain);
  if (!context.ok) return context;
  const rewrite = planRewrite(cas, { chain, context: context.value, workflow, named });
  if (!rewrite.ok) return rewrite;
  const history = { ...context.value, start: rewrite.value.start.payload };
  const decision = await decide(workflow.payload, history);
  if (!decision.ok) return err(failedAt(chain.head, decision.error));
  return ok({ rewrite: rewrite.value, next: targetName(decision.value) });
}
