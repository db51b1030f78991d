import { type Fault, type ModeratorContext, ok, type Result } from "@uncaged/workflow-protocol";
import { type Chain, contextOf, linearise as readChain, type Storage } from "@uncaged/workflow-store";

/** Stage 3: the history from the head back, as a chain and as what conditions see. */
export function linearise(
  storage: Storage,
  head: Chain["head"],
): Result<{ readonly chain: Chain; readonly context: ModeratorContext }, Fault> {
  const chain = readChain(storage.cas, head);
  if (!chain.ok) return chain;
  const context = contextOf(storage.cas, chain.value);
  return context.ok ? ok({ chain: chain.value, context: context.value }) : context;
}
