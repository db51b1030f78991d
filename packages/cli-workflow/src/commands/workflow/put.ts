import { flag, some } from "@uncaged/command-line";
import {
  type AssembledWorkflow,
  assembleWorkflow,
  type CheckedWorkflow,
  storeWorkflow,
} from "@uncaged/workflow-engine";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Problem,
  problemLine,
  type Result,
  type WorkflowPutOutput,
} from "@uncaged/workflow-protocol";
import {
  attemptAsync,
  type InspectedWorkflow,
  putNode,
  type Storage,
  setRegistry,
} from "@uncaged/workflow-store";
import { type CommandContext, type CommandResult, defineRootCommand, PATH } from "../../line/index.js";
import { lines, nextCommand, renderProblems, type Screen, type ShownFile } from "../../screen/index.js";
import { inspectGiven, knownWorkflows, LEFT_OUT, shownName, workflowsAmong } from "../given-workflow.js";
import { document, misused } from "../output.js";
import { changeWords, logNamed } from "./names.js";

/** A file of the command line. */
type GivenWorkflow = CheckedWorkflow & { readonly given: string };

/** Stores workflows and gives them their names: none of several if one of them is wrong. */
export const command = defineRootCommand({
  path: "workflow put",
  summary: "check workflow files, store them and register their names",
  arguments: { file: some(PATH) },
  options: { strict: flag("treat warnings as errors") },
  examples: [
    "uwf workflow put solve-issue.yaml",
    "uwf workflow put develop.yaml solve-issue.yaml --strict",
    "uwf workflow put - < solve-issue.yaml",
  ],
  notes: LEFT_OUT,
  exits: ["INVALID_WORKFLOW", "LOCK_BUSY"],
  sample: {
    line: "workflow put examples/solve-issue.yaml",
    prints: `solve-issue is workflow 1MV05XPK04K7N
next: uwf thread start solve-issue -p "<task>"`,
  },
  run: async (context, { file: words, strict }, storage) => {
    const all: GivenWorkflow[] = [];
    const files = workflowsAmong(context.host.cwd, words);
    const known = await knownWorkflows(context, files);
    for (const given of files) {
      const inspected = await inspectGiven(context.host, given, known);
      if (!inspected.ok) return inspected;
      const { authored, text, file, problems } = inspected.value;
      if (authored === null || (strict && problems.length > 0))
        return refused(context, given, inspected.value);
      all.push({ given, file, text, authored, warnings: problems });
    }
    const twice = all.find(
      ({ authored }, at) => all.findIndex((one) => one.authored.name === authored.name) < at,
    );
    if (twice !== undefined)
      return misused(`two of the files are called ${twice.authored.name}`, "see `uwf help workflow put`");
    const put: WorkflowPutOutput[] = [];
    for (const given of all) {
      const one = await putOne(context, storage, given);
      if (!one.ok) return one;
      put.push(one.value);
    }
    return document(put.length === 1 ? put[0] : put, (screen) => putWords(screen, put));
  },
});

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
  return stored.ok ? attemptAsync(() => putNode(storage.cas, "content", { text: text })) : stored;
}

function isStored({ cas }: Storage, { hash, payload }: AssembledWorkflow, source: CasRef): boolean {
  return [hash, source, ...Object.values(payload.roles).map((role) => role.meta)].every(cas.has);
}

/** What became of the names, and the first command with one of them. */
function putWords(screen: Screen, put: readonly WorkflowPutOutput[]): string {
  const [first] = put;
  const screenText = lines(screen, put.map(changeWords));
  return first === undefined
    ? screenText
    : screenText + nextCommand(screen, `uwf thread start ${first.name} -p "<task>"`);
}
