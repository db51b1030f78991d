import { resolve } from "node:path";
import {
  computeHash,
  getSchema,
  isObject,
  type JsonObject,
  META_SCHEMA_HASH,
  parseHash,
  putSchema,
  resolveHash,
  type Store,
  suggest,
} from "@uncaged/json-cas";
import { loadChecks } from "@uncaged/workflow-moderator";
import {
  type AuthoredWorkflow,
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Problem,
  problemLine,
  type Result,
  type RoleDefinition,
  type ThreadId,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  attemptAsync,
  changedAt,
  ensureTypes,
  findLocalWorkflow,
  findLocalWorkflows,
  findThread,
  openHistory,
  putNode,
  readNode,
  readParents,
  readRegistry,
  readWorkflowFile,
  type Storage,
  storedWorkflow,
} from "@uncaged/workflow-store";
import { isInherited, timeOfThreadId } from "@uncaged/workflow-util";

/** A workflow that passed every check, and its warnings. */
export type CheckedWorkflow = {
  readonly file: string;
  /** The YAML. */
  readonly text: string;
  readonly authored: AuthoredWorkflow;
  readonly warnings: readonly Problem[];
};

/** What `<workflow>` on a command line names: a node of the store, or a file that may not be stored yet. */
export type ResolvedWorkflow =
  | {
      readonly kind: "stored";
      readonly hash: CasRef;
      readonly payload: WorkflowPayload;
      readonly timestamp: number;
    }
  | { readonly kind: "file"; readonly checked: CheckedWorkflow };

/** The stored form of an authored workflow: what would be written, without writing it. */
export type AssembledWorkflow = {
  readonly hash: CasRef;
  readonly payload: WorkflowPayload;
  /** Every role's `meta`, to be stored before the workflow that refers to it. */
  readonly schemas: readonly JsonObject[];
};

export function assembleWorkflow(authored: AuthoredWorkflow): AssembledWorkflow {
  const roles = Object.entries(authored.roles).map(([name, role]): [string, RoleDefinition] => [
    name,
    { ...role, meta: computeHash(META_SCHEMA_HASH, role.meta) },
  ]);
  const payload: WorkflowPayload = { ...authored, roles: Object.fromEntries(roles) };
  const schemas = Object.values(authored.roles).map((role) => role.meta);
  const stored = storedWorkflow(payload);
  return { hash: computeHash(stored.type, stored.payload), payload, schemas };
}

/** A workflow that a person named, stored or not. Of one that is, the schemas are in the store. */
export function assembledOf(resolved: ResolvedWorkflow): AssembledWorkflow {
  if (resolved.kind === "file") return assembleWorkflow(resolved.checked.authored);
  const { hash, payload } = resolved;
  return { hash, payload, schemas: [] };
}

/** A workflow with the schemas in it, as its author wrote it, and the hash that it is or would be stored under. */
export type HashedWorkflow = { readonly hash: CasRef; readonly authored: AuthoredWorkflow };

/** The same of a stored one and of a file. Faults: NODE_MISSING if a schema is gone. */
export function authoredOf(storage: Storage, resolved: ResolvedWorkflow): Result<HashedWorkflow, Fault> {
  if (resolved.kind === "file") {
    const { authored } = resolved.checked;
    return ok({ hash: assembleWorkflow(authored).hash, authored });
  }
  const { hash, payload } = resolved;
  const roles: [string, AuthoredWorkflow["roles"][string]][] = [];
  for (const [name, role] of Object.entries(payload.roles)) {
    const schema = attempt(() => getSchema(storage.cas, role.meta));
    if (!schema.ok) return schema;
    if (!isObject(schema.value)) return err(fault("NODE_MISSING", { hash: role.meta, referrer: hash }));
    roles.push([name, { ...role, meta: schema.value }]);
  }
  return ok({ hash, authored: { ...payload, roles: Object.fromEntries(roles) } });
}

/** Reads and checks a workflow file; an invalid one is a fault with all its errors, in the order of the file. */
export async function checkWorkflowFile(file: string): Promise<Result<CheckedWorkflow, Fault>> {
  const { checkWorkflow } = await loadChecks();
  const read = await readWorkflowFile(file, checkWorkflow);
  if (!read.ok) return read;
  const { text, authored, problems } = read.value;
  return ok({ file, text, authored, warnings: problems });
}

type Resolver = {
  readonly storage: Storage;
  readonly cwd: string;
  readonly warn: (sentence: string) => void;
};

/**
 * `<workflow>` of a command line: a path, a hash, a name in `.workflows/`, a name in the registry; in this order. `parent`: a
 * thread starts it as its child, and what its agents can write does not choose the workflow.
 */
export async function resolveWorkflow(
  resolver: Resolver,
  text: string,
  parent: ThreadId | null = null,
): Promise<Result<ResolvedWorkflow, Fault>> {
  if (text === "") return err(fault("WORKFLOW_NOT_FOUND", { name: '""', suggestion: null }));
  if (isPath(text)) return fromFile(resolver, resolve(resolver.cwd, text));
  if (parseHash(text) !== null) return fromHash(resolver, text);
  const local = findLocalWorkflow(resolver.cwd, text);
  if (!local.ok) return local;
  const registry = await readRegistry(resolver.storage);
  if (!registry.ok) return registry;
  const registered = Object.hasOwn(registry.value, text) ? (registry.value[text] ?? null) : null;
  if (local.value !== null) {
    const { file } = local.value;
    const read = await fromFile(resolver, file);
    const isRegistered = read.ok && assembledOf(read.value).hash === registered;
    const late = parent === null || isRegistered ? ok(false) : await isLate(resolver.storage, parent, file);
    if (!late.ok) return late;
    if (late.value && parent !== null && registered === null) return err(lateFault(file, parent));
    if (late.value && registered !== null) return registeredWorkflow(resolver, text, registered);
    if (registered !== null && !isRegistered)
      resolver.warn(`${file} is used, not the registered workflow ${text}`);
    return read;
  }
  if (registered !== null) return registeredWorkflow(resolver, text, registered);
  // A reply may name the workflow of a child: a part of a hash is too easily mistaken for a name.
  if (parent === null && isHashPrefix(text)) {
    const found = fromHash(resolver, text);
    if (found.ok || found.error.code !== "NODE_MISSING") return found;
  }
  const known = [
    ...Object.keys(registry.value),
    ...findLocalWorkflows(resolver.cwd).map((each) => each.name),
  ];
  return err(fault("WORKFLOW_NOT_FOUND", { name: text, suggestion: suggest(text, known) }));
}

/** A path as people type it here. */
export function shownFrom(cwd: string, file: string): string {
  return file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file;
}

export function isPath(text: string): boolean {
  return /\/|\.ya?ml$|^\.\.?$/.test(text);
}

/** A lower-case name stays a name: prefixes of hashes are tried only if no workflow has that name. */
function isHashPrefix(text: string): boolean {
  return /^[0-9A-Fa-f][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{3,11}$/.test(text);
}

function fromHash(resolver: Resolver, text: string): Result<ResolvedWorkflow, Fault> {
  const hash = attempt((): CasRef => resolveHash(resolver.storage.cas, text));
  return hash.ok ? stored(resolver, hash.value) : hash;
}

/** The registry promises that its workflows exist: a missing one is damage, not an unknown hash. */
function registeredWorkflow(resolver: Resolver, name: string, hash: CasRef): Result<ResolvedWorkflow, Fault> {
  const found = stored(resolver, hash);
  if (found.ok || found.error.code !== "NODE_MISSING") return found;
  const reason = `${name} is ${hash}, and there is no such node`;
  return err(fault("STORE_DAMAGED", { file: resolver.storage.paths.registry, reason }));
}

function stored(resolver: Resolver, hash: CasRef): Result<ResolvedWorkflow, Fault> {
  const read = readNode(resolver.storage.cas, "workflow", hash);
  return read.ok ? ok({ kind: "stored", ...read.value }) : read;
}

async function fromFile(resolver: Resolver, file: string): Promise<Result<ResolvedWorkflow, Fault>> {
  const checked = await checkWorkflowFile(file);
  if (!checked.ok) return checked;
  for (const problem of checked.value.warnings) resolver.warn(problemLine(problem, file));
  return ok({ kind: "file", checked: checked.value });
}

/** Stores the roles' schemas and the workflow; the same content gives the same hash. */
export function storeWorkflow(
  storage: Storage,
  assembled: AssembledWorkflow,
): Promise<Result<CasRef, Fault>> {
  return attemptAsync(() => storage.cas.together((cas) => writeWorkflow(cas, assembled)));
}

/** The same in any store. Throws `CasError`. */
export async function writeWorkflow(cas: Store, assembled: AssembledWorkflow): Promise<CasRef> {
  await ensureTypes(cas);
  for (const schema of assembled.schemas) await putSchema(cas, schema);
  return putNode(cas, "workflow", assembled.payload);
}

/**
 * Whether an agent of the thread, or of one above it, may have written this file of `.workflows/`: asked after the file was
 * read, so that a write between the two is seen.
 */
async function isLate(storage: Storage, thread: ThreadId, file: string): Promise<Result<boolean, Fault>> {
  const changed = changedAt(file);
  const above = readParents(storage, thread);
  if (!above.ok) return above;
  for (const each of [thread, ...above.value]) {
    const began = await beganAt(storage, each);
    if (!began.ok) return began;
    if (changed > began.value) return ok(true);
  }
  return ok(false);
}

/** When the first agent of the thread's history may have begun, epoch ms: before the thread itself, if that is a fork. */
async function beganAt(storage: Storage, thread: ThreadId): Promise<Result<number, Fault>> {
  const found = await findThread(storage, thread);
  if (!found.ok) return found;
  const history = openHistory(storage.cas, found.value.head);
  if (!history.ok) return history;
  const steps = history.value.last(null);
  if (!steps.ok) return steps;
  const created = timeOfThreadId(thread);
  const start = history.value.start.timestamp;
  const [first] = steps.value;
  return ok(first !== undefined && isInherited(first.timestamp, { created, start }) ? start : created);
}

/** The fault of a file that is late. */
function lateFault(file: string, thread: ThreadId): Fault {
  const reason = `it has changed since thread ${thread} began, so an agent may have written it`;
  const hint = `read it, and if it is what you want, register it: \`uwf workflow put ${file}\``;
  return fault("INVALID_INPUT", { what: file, reason, hint });
}
