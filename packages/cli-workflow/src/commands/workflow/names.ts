import { suggest } from "@uncaged/json-cas";
import { shownFrom } from "@uncaged/workflow-engine";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type RegistryLine,
  type Result,
  type WorkflowPutOutput,
} from "@uncaged/workflow-protocol";
import {
  findLocalWorkflow,
  readRegistry,
  readRegistryHistory,
  type Storage,
  setRegistry,
} from "@uncaged/workflow-store";
import { createEventLog } from "@uncaged/workflow-util";
import type { CommandContext, CommandResult } from "../../line/index.js";
import { lines } from "../../screen/index.js";
import { document } from "../output.js";

// The names of workflows: what they point to, and how they are given to another version or taken away.

/** What a name points to now (`null`: nothing), and every change of it, newest first. */
type KnownName = { readonly now: CasRef | null; readonly lines: readonly RegistryLine[] };

/** A name that has never pointed to anything is unknown. */
export async function readName(
  storage: Storage,
  cwd: string,
  name: string,
): Promise<Result<KnownName, Fault>> {
  const history = readRegistryHistory(storage);
  if (!history.ok) return history;
  const registry = await readRegistry(storage);
  if (!registry.ok) return registry;
  const now = currentOf(registry.value, name);
  const lines = history.value.filter((line) => line.name === name).reverse();
  return lines.length === 0 && now === null
    ? unknownName(cwd, name, Object.keys(registry.value))
    : ok({ now, lines });
}

/** What the name points to now; `null`: nothing. */
export function currentOf(registry: Readonly<Record<string, CasRef>>, name: string): CasRef | null {
  return Object.hasOwn(registry, name) ? (registry[name] ?? null) : null;
}

/** No name of the registry; perhaps that of a file. */
export function unknownName(cwd: string, name: string, known: readonly string[]): Result<never, Fault> {
  const local = findLocalWorkflow(cwd, name);
  const file = local.ok && local.value !== null ? { file: shownFrom(cwd, local.value.file) } : {};
  return err(fault("WORKFLOW_NOT_FOUND", { name, suggestion: suggest(name, known), ...file }));
}

/** Points the name to a workflow, or takes it away (`null`). */
export async function setName(
  context: CommandContext,
  storage: Storage,
  name: string,
  { hash, source }: { readonly hash: CasRef | null; readonly source: CasRef | null },
): CommandResult {
  const previous = await setRegistry(storage, name, hash, source);
  if (!previous.ok) return previous;
  const output: WorkflowPutOutput = { name, hash, previous: previous.value };
  logNamed(context, storage, output);
  return document(output, (screen) => lines(screen, [changeWords(output)]));
}

export function logNamed({ host }: CommandContext, { paths }: Storage, named: WorkflowPutOutput): void {
  const { name, hash, previous } = named;
  if (hash === previous) return;
  const log = createEventLog({ dir: paths.logs, now: host.now, thread: null });
  const sentence = hash === null ? `${name} is no longer a workflow` : `${name} is now workflow ${hash}`;
  log("W5RG8NVK", sentence, "named", { name, workflow: hash, previous });
}

/** What became of a name. */
export function changeWords({ name, hash, previous }: WorkflowPutOutput): string {
  if (hash === null) return `${name} is no longer a workflow; it was ${previous ?? "none"}`;
  if (previous === null) return `${name} is workflow ${hash}`;
  return hash === previous
    ? `${name} is still workflow ${hash}`
    : `${name} is now workflow ${hash}, before ${previous}`;
}
