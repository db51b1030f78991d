import { resolveHash } from "@uncaged/json-cas";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt, type ChainNode, readChainNode, type Storage } from "@uncaged/workflow-store";
import type { CommandContext } from "../types.js";

/** A StartNode or StepNode named on the command line by its hash or a prefix of it, and where it was found. */
export function readNamedNode(
  context: CommandContext,
  text: string,
): Result<{ readonly storage: Storage; readonly node: ChainNode }, Fault> {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const { cas } = storage.value;
  const hash = attempt(() => resolveHash(cas, text));
  if (!hash.ok) return hash;
  const node = readChainNode(cas, hash.value);
  return node.ok ? ok({ storage: storage.value, node: node.value }) : node;
}
