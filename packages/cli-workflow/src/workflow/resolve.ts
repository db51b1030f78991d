import { resolve } from "node:path";
import { resolveHash, suggest } from "@uncaged/json-cas";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  problemLine,
  type Result,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  findLocalWorkflow,
  findLocalWorkflows,
  readRegistry,
  readWorkflow,
  type Storage,
} from "@uncaged/workflow-store";
import { checkWorkflowFile } from "./check.js";
import type { ResolvedWorkflow } from "./types.js";

export type Resolver = {
  readonly storage: Storage;
  readonly cwd: string;
  readonly warn: (sentence: string) => void;
};

/** `<workflow>` of a command line: a path, a hash, a name in `.workflows/`, a name in the registry; in this order. */
export async function resolveWorkflow(
  resolver: Resolver,
  text: string,
): Promise<Result<ResolvedWorkflow, Fault>> {
  if (text === "") return err(fault("WORKFLOW_NOT_FOUND", { name: '""', suggestion: null }));
  if (isPath(text)) return fromFile(resolver, resolve(resolver.cwd, text));
  if (isWholeHash(text)) return fromHash(resolver, text);
  const local = findLocalWorkflow(resolver.cwd, text);
  if (!local.ok) return local;
  const registry = await readRegistry(resolver.storage);
  if (!registry.ok) return registry;
  const registered = Object.hasOwn(registry.value, text) ? (registry.value[text] ?? null) : null;
  if (local.value !== null) {
    if (registered !== null)
      resolver.warn(`${local.value.file} is used, not the registered workflow ${text}`);
    return fromFile(resolver, local.value.file);
  }
  if (registered !== null) return registeredWorkflow(resolver, text, registered);
  if (isHashPrefix(text)) {
    const found = fromHash(resolver, text);
    if (found.ok || found.error.code !== "NODE_MISSING") return found;
  }
  const known = [
    ...Object.keys(registry.value),
    ...findLocalWorkflows(resolver.cwd).map((each) => each.name),
  ];
  return err(fault("WORKFLOW_NOT_FOUND", { name: text, suggestion: suggest(text, known) }));
}

function isPath(text: string): boolean {
  return text.includes("/") || text.endsWith(".yaml") || text.endsWith(".yml");
}

function isWholeHash(text: string): boolean {
  return /^[0-9A-Fa-f][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{12}$/.test(text);
}

/** A name in lower case stays a name: prefixes of hashes are looked up only for what no workflow is called. */
function isHashPrefix(text: string): boolean {
  return /^[0-9A-Fa-f][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{3,11}$/.test(text);
}

function fromHash(resolver: Resolver, text: string): Result<ResolvedWorkflow, Fault> {
  const hash = attempt((): CasRef => resolveHash(resolver.storage.cas, text));
  return hash.ok ? stored(resolver, hash.value) : hash;
}

/** The registry promises that its workflows are there: one that is not is damage, nobody asked for that hash. */
function registeredWorkflow(resolver: Resolver, name: string, hash: CasRef): Result<ResolvedWorkflow, Fault> {
  const found = stored(resolver, hash);
  if (found.ok || found.error.code !== "NODE_MISSING") return found;
  const reason = `${name} is ${hash}, and there is no such node`;
  return err(fault("STORE_DAMAGED", { file: resolver.storage.paths.registry, reason }));
}

function stored(resolver: Resolver, hash: CasRef): Result<ResolvedWorkflow, Fault> {
  const read = readWorkflow(resolver.storage.cas, hash);
  return read.ok ? ok({ kind: "stored", ...read.value }) : read;
}

async function fromFile(resolver: Resolver, file: string): Promise<Result<ResolvedWorkflow, Fault>> {
  const checked = await checkWorkflowFile(file, false);
  if (!checked.ok) return checked;
  for (const problem of checked.value.warnings) resolver.warn(problemLine(problem, file));
  return ok({ kind: "file", checked: checked.value });
}
