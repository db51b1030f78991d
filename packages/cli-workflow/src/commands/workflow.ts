import { suggest } from "@uncaged/json-cas";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Problem,
  problemLine,
  type RegistryLine,
  type Result,
  type WorkflowHistoryItem,
  type WorkflowListItem,
  type WorkflowPutOutput,
} from "@uncaged/workflow-protocol";
import {
  attemptAsync,
  findLocalWorkflow,
  findLocalWorkflows,
  type InspectedWorkflow,
  putContent,
  readContent,
  readRegistry,
  readRegistryHistory,
  readWorkflow,
  type Storage,
  setRegistry,
  storedWorkflow,
} from "@uncaged/workflow-store";
import { createLogger } from "@uncaged/workflow-util";
import { renderProblems, type ShownFile } from "../human/index.js";
import type { CommandContext, CommandOutput, CommandResult } from "../line/index.js";
import {
  type AssembledWorkflow,
  assembleWorkflow,
  type CheckedWorkflow,
  checkWorkflowFile,
  resolveWorkflow,
  shownFrom,
  storeWorkflow,
} from "../workflow.js";
import { inspectGiven, shownName, workflowsAmong } from "./given-workflow.js";
import { knownWorkflows } from "./known-workflows.js";
import { document, text } from "./output.js";
import { historyTable, namedWords, putWords, workflowTable, workflowWords } from "./workflow-words.js";

/** Registered and project-local workflows by name; a local one has no hash until something stores it. */
export async function workflowList(context: CommandContext): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const registry = await readRegistry(storage.value);
  if (!registry.ok) return registry;
  const registered = Object.entries(registry.value).map(
    ([name, hash]): WorkflowListItem => ({ name, hash, origin: "registry" }),
  );
  const local = await Promise.all(
    findLocalWorkflows(context.host.cwd).map(({ name, file }) => localItem(storage.value, name, file)),
  );
  const items = [...registered, ...local].sort(byName);
  return document(items, (screen) => workflowTable(screen, items));
}

async function localItem(storage: Storage, name: string, file: string): Promise<WorkflowListItem> {
  const checked = await checkWorkflowFile(file);
  const hash = checked.ok ? assembleWorkflow(checked.value.authored).hash : null;
  return { name, hash: hash !== null && storage.cas.has(hash) ? hash : null, origin: "local" };
}

function byName(a: WorkflowListItem, b: WorkflowListItem): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.origin < b.origin ? -1 : 1;
}

type PutRequest = { readonly files: readonly string[]; readonly strict: boolean };

/** A file of the command line. */
type GivenWorkflow = CheckedWorkflow & { readonly given: string };

/** Stores workflows and gives them their names: none of several if one of them is wrong. */
export async function workflowPut(context: CommandContext, request: PutRequest): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const all: GivenWorkflow[] = [];
  const files = workflowsAmong(context.host.cwd, request.files);
  const known = await knownWorkflows(context, files);
  for (const given of files) {
    const inspected = await inspectGiven(context.host, given, known);
    if (!inspected.ok) return inspected;
    const { authored, text, file, problems } = inspected.value;
    if (authored === null || (request.strict && problems.length > 0))
      return refused(context, given, inspected.value);
    all.push({ given, file, text, authored, warnings: problems });
  }
  const twice = all.find(
    ({ authored }, at) => all.findIndex((one) => one.authored.name === authored.name) < at,
  );
  if (twice !== undefined) {
    const reason = `two of the files are called ${twice.authored.name}`;
    return err(fault("USAGE", { reason, usage: "see `uwf help workflow put`" }));
  }
  const put: WorkflowPutOutput[] = [];
  for (const given of all) {
    const one = await putOne(context, storage.value, given);
    if (!one.ok) return one;
    put.push(one.value);
  }
  return document(put.length === 1 ? put[0] : put, (screen) => putWords(screen, put));
}

/** A person sees each place; a program gets the list. */
async function refused(
  { watcher }: CommandContext,
  given: string,
  { file, text, authored, problems }: InspectedWorkflow,
): CommandResult {
  const errors = authored === null ? problems.filter(({ severity }) => severity === "error") : problems;
  const failure = fault("INVALID_WORKFLOW", { file, problems: errors });
  const screen = watcher();
  if (screen === null) return err(failure);
  const shown = renderProblems(screen, { name: shownName(given), text }, errors);
  return ok({ kind: "refusal", fault: failure, text: `${shown}nothing was stored\n` });
}

async function putOne(
  context: CommandContext,
  storage: Storage,
  { given, authored, text, warnings }: GivenWorkflow,
): Promise<Result<WorkflowPutOutput & { readonly warnings?: readonly string[] }, Fault>> {
  const lines = warnings.map((problem) => problemLine(problem, shownName(given)));
  tellWarnings(context, { name: shownName(given), text }, warnings, lines);
  const assembled = assembleWorkflow(authored);
  const { name } = authored;
  const stored = await storeWithSource(storage, assembled, text);
  if (!stored.ok) return stored;
  const { hash } = assembled;
  const source = stored.value;
  const previous = await setRegistry(storage, name, hash, source);
  if (!previous.ok) return previous;
  // Until it had a name, gc could remove it; from then on it is kept. What was removed in the meantime is stored
  // again.
  const kept = isStored(storage, assembled, source)
    ? stored
    : await storeWithSource(storage, assembled, text);
  if (!kept.ok) return kept;
  logNamed(context, storage, { name, hash, previous: previous.value });
  return ok({ name, hash, previous: previous.value, ...(lines.length > 0 ? { warnings: lines } : {}) });
}

function tellWarnings(
  { host, watcher, warn }: CommandContext,
  file: ShownFile,
  warnings: readonly Problem[],
  lines: readonly string[],
): void {
  const screen = watcher();
  if (screen === null) for (const line of lines) warn(line);
  else host.stderr.write(renderProblems(screen, file, warnings));
}

/** Gives the node of the YAML. */
async function storeWithSource(
  storage: Storage,
  workflow: AssembledWorkflow,
  text: string,
): Promise<Result<CasRef, Fault>> {
  const stored = await storeWorkflow(storage, workflow);
  return stored.ok ? attemptAsync(() => putContent(storage.cas, text)) : stored;
}

function isStored({ cas }: Storage, { hash, payload }: AssembledWorkflow, source: CasRef): boolean {
  return [hash, source, ...Object.values(payload.roles).map((role) => role.meta)].every(cas.has);
}

function logNamed({ host }: CommandContext, { paths }: Storage, named: WorkflowPutOutput): void {
  const { name, hash, previous } = named;
  if (hash === previous) return;
  const log = createLogger({ dir: paths.logs, now: host.now, thread: null });
  const said = hash === null ? `${name} is no longer a workflow` : `${name} is now workflow ${hash}`;
  log("W5RG8NVK", said, { event: "named", name, workflow: hash, previous });
}

/** Every change of a name, newest first. */
export async function workflowHistory(
  context: CommandContext,
  { name }: { readonly name: string },
): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const lines = historyOf(storage.value, name);
  if (!lines.ok) return lines;
  const registry = await readRegistry(storage.value);
  if (!registry.ok) return registry;
  const now = currentOf(registry.value, name);
  if (lines.value.length === 0 && now === null)
    return unknown(context.host.cwd, name, Object.keys(registry.value));
  const items = lines.value.map(
    ({ hash, previous, source, at }): WorkflowHistoryItem => ({
      hash,
      previous,
      current: hash === now,
      source,
      at,
    }),
  );
  // Of a name given by an earlier version of uwf nothing else is known.
  const first: WorkflowHistoryItem[] =
    items.length === 0 ? [{ hash: now, previous: null, current: true, source: null, at: null }] : [];
  const all = [...items, ...first];
  return document(all, (screen) => historyTable(screen, all));
}

/** Newest first. */
function historyOf(storage: Storage, name: string): Result<readonly RegistryLine[], Fault> {
  const lines = readRegistryHistory(storage);
  return lines.ok ? ok(lines.value.filter((line) => line.name === name).reverse()) : lines;
}

function currentOf(registry: Readonly<Record<string, CasRef>>, name: string): CasRef | null {
  return Object.hasOwn(registry, name) ? (registry[name] ?? null) : null;
}

/** No name of the registry; perhaps that of a file. */
function unknown(cwd: string, name: string, known: readonly string[]): Result<never, Fault> {
  const local = findLocalWorkflow(cwd, name);
  const file = local.ok && local.value !== null ? { file: shownFrom(cwd, local.value.file) } : {};
  return err(fault("WORKFLOW_NOT_FOUND", { name, suggestion: suggest(name, known), ...file }));
}

type RollbackRequest = { readonly name: string; readonly hash: string | null };

/** Gives the name back to an earlier version: the one before, or the one that is named. */
export async function workflowRollback(context: CommandContext, request: RollbackRequest): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const { name } = request;
  const lines = historyOf(storage.value, name);
  if (!lines.ok) return lines;
  const registry = await readRegistry(storage.value);
  if (!registry.ok) return registry;
  const now = currentOf(registry.value, name);
  const versions = [...new Set(lines.value.flatMap(({ hash, previous }) => [hash, previous]))].filter(
    isKnown,
  );
  if (versions.length === 0 && now === null)
    return unknown(context.host.cwd, name, Object.keys(registry.value));
  const wanted =
    request.hash === null ? ok(before(lines.value, now)) : chosen(versions, request.hash.toUpperCase());
  if (!wanted.ok) return err(fault("USAGE", { reason: `${name} ${wanted.error}`, usage: seeHistory(name) }));
  const hash = wanted.value;
  if (hash === null) {
    return err(fault("USAGE", { reason: `${name} has no earlier version`, usage: seeHistory(name) }));
  }
  const read = readWorkflow(storage.value.cas, hash);
  if (!read.ok) return read;
  const source = lines.value.find((line) => line.hash === hash)?.source ?? null;
  return named(context, storage.value, name, hash, source);
}

function isKnown(hash: CasRef | null): hash is CasRef {
  return hash !== null;
}

function seeHistory(name: string): string {
  return `see \`uwf workflow history ${name}\``;
}

/** What the name pointed to before it came to where it is; of a removed name, what it pointed to. */
function before(lines: readonly RegistryLine[], now: CasRef | null): CasRef | null {
  return lines.find((line) => line.hash === now)?.previous ?? null;
}

function chosen(versions: readonly CasRef[], prefix: string): Result<CasRef, string> {
  const [first, second] = versions.filter((hash) => hash.startsWith(prefix));
  if (first === undefined) return err(`was never ${prefix}`);
  return second === undefined
    ? ok(first)
    : err(`was ${first} and ${second}, which both begin with ${prefix}`);
}

/** Takes a name away; threads, and versions that it pointed to, stay. */
export async function workflowRm(
  context: CommandContext,
  { name }: { readonly name: string },
): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const registry = await readRegistry(storage.value);
  if (!registry.ok) return registry;
  if (currentOf(registry.value, name) === null)
    return unknown(context.host.cwd, name, Object.keys(registry.value));
  return named(context, storage.value, name, null, null);
}

async function named(
  context: CommandContext,
  storage: Storage,
  name: string,
  hash: CasRef | null,
  source: CasRef | null,
): CommandResult {
  const previous = await setRegistry(storage, name, hash, source);
  if (!previous.ok) return previous;
  const output: WorkflowPutOutput = { name, hash, previous: previous.value };
  logNamed(context, storage, output);
  return document(output, (screen) => namedWords(screen, output));
}

type ShowRequest = { readonly workflow: string; readonly source: boolean };

/** Of a file it shows what `put` would store; `timestamp` is `null` as long as it is not stored. */
export async function workflowShow(context: CommandContext, request: ShowRequest): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const resolver = { storage: storage.value, cwd: context.host.cwd, warn: context.warn };
  const resolved = await resolveWorkflow(resolver, request.workflow);
  if (!resolved.ok) return resolved;
  if (request.source) {
    return resolved.value.kind === "file"
      ? text(resolved.value.checked.text)
      : sourceOf(storage.value, resolved.value.hash);
  }
  const workflow =
    resolved.value.kind === "stored"
      ? resolved.value
      : { ...assembleWorkflow(resolved.value.checked.authored), timestamp: null };
  const { hash, payload, timestamp } = workflow;
  const known = timestamp ?? storage.value.cas.get(hash)?.timestamp ?? null;
  const shown = { hash, name: payload.name, ...storedWorkflow(payload), timestamp: known };
  return document(shown, (screen) => workflowWords(screen, hash, payload, known));
}

/** The YAML as it was last put. */
function sourceOf(storage: Storage, hash: CasRef): Result<CommandOutput, Fault> {
  const lines = readRegistryHistory(storage);
  if (!lines.ok) return lines;
  const source = lines.value.findLast((line) => line.hash === hash && line.source !== null)?.source ?? null;
  if (source === null) {
    const reason = `the YAML of workflow ${hash} was not kept: it was not stored by \`uwf workflow put\` of this version`;
    return err(
      fault("USAGE", { reason, usage: `\`uwf workflow show ${hash} --format yaml\` prints what is stored` }),
    );
  }
  const content = readContent(storage.cas, source);
  return content.ok ? text(content.value.text) : content;
}
