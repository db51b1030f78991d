import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type Chain,
  type LazyContext,
  lazyContextOf,
  linearise as readChain,
  type Storage,
} from "@uncaged/workflow-store";

/** Stage 3: the history from the head back, as a chain and as what conditions see. */
export function linearise(
  storage: Storage,
  head: Chain["head"],
): Result<{ readonly chain: Chain; readonly history: LazyContext }, Fault> {
  const chain = readChain(storage.cas, head);
  return chain.ok ? ok({ chain: chain.value, history: lazyContextOf(storage.cas, chain.value) }) : chain;
}
