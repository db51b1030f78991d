import { parseHash, resolveHash, suggest } from "@uncaged/json-cas";
import { type CasRef, err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt, openThreadList, readNode, readRegistry, type Storage } from "@uncaged/workflow-store";
import { shortIds } from "../screen/index.js";

// Names that a person reads in the place of ids and hashes.

/** The id of a thread as a list shows it; the whole id where the list cannot be read. */
export async function readShortIds(storage: Storage): Promise<(id: string) => string> {
  const list = await openThreadList(storage, { all: false });
  return list.ok ? shortIds(list.value.everyId(), list.value.ended) : (id) => id;
}

/** The name of a workflow; its hash where it cannot be read. */
export function workflowName({ cas }: Storage, hash: CasRef): string {
  const workflow = readNode(cas, "workflow", hash);
  return workflow.ok ? workflow.value.payload.name : hash;
}

// Separate from workflow/, which loads everything needed to check a workflow file.

/** Whether a workflow is the one that was asked for. */
export type WorkflowFilter = (workflow: CasRef) => boolean;

/**
 * What `--workflow` names: a complete hash, a registered name, or a prefix of a hash, in this order. A name means
 * every version with that name: threads keep the one they were started with.
 */
export async function workflowFilter(storage: Storage, text: string): Promise<Result<WorkflowFilter, Fault>> {
  if (parseHash(text) !== null) return withHash(storage, text);
  const registry = await readRegistry(storage);
  if (!registry.ok) return registry;
  if (Object.hasOwn(registry.value, text)) return ok(withName(storage, text, registry.value[text]));
  const found = withHash(storage, text);
  if (found.ok || !NO_HASH.has(found.error.code)) return found;
  return unknown(text, Object.keys(registry.value));
}

/** Takes a complete hash, which this root need not have, or a registered name (its current version). */
export async function workflowHash(storage: Storage, text: string): Promise<Result<CasRef, Fault>> {
  const whole = parseHash(text);
  if (whole !== null) return ok(whole as CasRef);
  const registry = await readRegistry(storage);
  if (!registry.ok) return registry;
  const registered = Object.hasOwn(registry.value, text) ? registry.value[text] : undefined;
  return registered === undefined ? unknown(text, Object.keys(registry.value)) : ok(registered);
}

function unknown(text: string, names: readonly string[]): Result<never, Fault> {
  return err(fault("WORKFLOW_NOT_FOUND", { name: text, suggestion: suggest(text, names) }));
}

const NO_HASH: ReadonlySet<string> = new Set(["NODE_MISSING", "MALFORMED_HASH"]);

function withHash({ cas }: Storage, text: string): Result<WorkflowFilter, Fault> {
  const hash = attempt((): CasRef => resolveHash(cas, text));
  if (!hash.ok) return hash;
  const workflow = readNode(cas, "workflow", hash.value);
  return workflow.ok ? ok((other) => other === hash.value) : workflow;
}

/** A store has few workflows and many threads: each is read once. */
function withName({ cas }: Storage, name: string, registered: CasRef | undefined): WorkflowFilter {
  const known = new Map<CasRef, boolean>();
  return (hash) => {
    if (hash === registered) return true;
    const workflow = known.has(hash) ? null : readNode(cas, "workflow", hash);
    if (workflow !== null) known.set(hash, workflow.ok && workflow.value.payload.name === name);
    return known.get(hash) ?? false;
  };
}
