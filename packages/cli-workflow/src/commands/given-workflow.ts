import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isHash, suggest } from "@uncaged/json-cas";
import { isPath, shownFrom } from "@uncaged/workflow-engine";
import { type GraphProblem, loadChecks } from "@uncaged/workflow-moderator";
import {
  type AuthoredWorkflow,
  err,
  type Fault,
  fault,
  LIMITS,
  ok,
  type Result,
  shellWord,
} from "@uncaged/workflow-protocol";
import {
  findLocalWorkflow,
  findLocalWorkflows,
  type InspectedWorkflow,
  inspectWorkflowFile,
  inspectWorkflowText,
  nameOfFile,
  readRegistry,
  type WorkflowCheck,
} from "@uncaged/workflow-store";
import type { Host } from "../io.js";
import type { CommandContext } from "../line/index.js";
import { readGivenText, type TextKind } from "./given-text.js";
import { invalid } from "./output.js";

/** What messages call a workflow on stdin. */
const STDIN = "(stdin)";

const ON_STDIN: TextKind = {
  name: "the workflow",
  limit: LIMITS.workflowFile,
  missing: "the workflow is missing",
  both: "",
  usage: "see `uwf help workflow put`",
};

export function shownName(given: string): string {
  return given === "-" ? STDIN : given;
}

/** What `workflowsAmong` does, for the help. */
export const LEFT_OUT = `A file may also be the name of a workflow in .workflows/. Scenarios among the
files, and .workflows/config.yaml, are left out, so *.yaml means every workflow.`;

const NO_WORKFLOW = /(?:^|\/)(?:[^/]+\.scenario\.ya?ml|\.workflows\/config\.yaml)$/;

/**
 * The workflows behind the words of a command line: files, and names in `.workflows/`. Without what a shell's
 * `.workflows/*.yaml` gives besides: scenarios, and the settings of the project.
 */
export function workflowsAmong(cwd: string, words: readonly string[]): readonly string[] {
  const files = words.map((word) => fileOf(cwd, word));
  const workflows = files.filter((file) => !NO_WORKFLOW.test(file));
  return workflows.length === 0 ? files : workflows;
}

function fileOf(cwd: string, word: string): string {
  if (word === "" || word === "-" || isPath(word) || existsSync(resolve(cwd, word))) return word;
  const local = findLocalWorkflow(cwd, word);
  return local.ok && local.value !== null ? shownFrom(cwd, local.value.file) : word;
}

/** Everything that `put` checks about a file of the command line; `-` is stdin. Stores nothing. */
export async function inspectGiven(
  host: Host,
  given: string,
  known: KnownWorkflows | null,
): Promise<Result<InspectedWorkflow, Fault>> {
  if (given === "") return err(fault("FILE_NOT_FOUND", { path: '""', reason: "the path is empty" }));
  const { checkWorkflow } = await loadChecks();
  const check: WorkflowCheck = (authored) => [
    ...checkWorkflow(authored),
    ...(known === null ? [] : unknownChildren(authored, known)),
  ];
  if (given !== "-") {
    const inspected = await inspectWorkflowFile(resolve(host.cwd, given), check);
    return inspected.ok && inspected.value.authored === null && SCENARIO.test(given)
      ? aScenario(given)
      : inspected;
  }
  const text = readGivenText(host, { text: "-", file: null }, ON_STDIN);
  if (!text.ok) return text;
  const inspected = await inspectWorkflowText(text.value, STDIN, check);
  return ok({ ...inspected, problems: inspected.problems.filter(({ code }) => code !== "file-name") });
}

const SCENARIO = /(\.[^/.]+)?\.scenario\.ya?ml$/;

function aScenario(given: string): Result<never, Fault> {
  const workflow = shellWord(given.replace(SCENARIO, ".yaml"));
  const hint = `\`uwf workflow test ${shellWord(given)}\` plays it; its workflow is ${workflow}`;
  return invalid(given, "it is a scenario, not a workflow", hint);
}

/** Names that a role's `agent: {workflow: …}` can mean. */
export type KnownWorkflows = readonly string[];

/**
 * The registered and the local workflows, and those of the given files, which are looked at together. `null`:
 * it is unknown what is registered, since the storage root is damaged or not trusted.
 */
export async function knownWorkflows(
  { host, openStorage }: CommandContext,
  files: readonly string[],
): Promise<KnownWorkflows | null> {
  const storage = openStorage();
  const registry = storage.ok ? await readRegistry(storage.value) : storage;
  if (!registry.ok) return null;
  const local = findLocalWorkflows(host.cwd).map(({ name }) => name);
  return [...Object.keys(registry.value), ...local, ...files.flatMap((file) => nameOfFile(file) ?? [])];
}

/** Roles that no workflow plays yet: a warning, since the child may be registered later. */
function unknownChildren({ name, roles }: AuthoredWorkflow, known: KnownWorkflows): readonly GraphProblem[] {
  const all = [...known, name];
  return Object.entries(roles).flatMap(([role, { agent }]): readonly GraphProblem[] => {
    const child = agent !== null && "workflow" in agent ? agent.workflow.name : "";
    if (child === "" || isHash(child) || all.includes(child)) return [];
    return [
      {
        severity: "warning",
        code: "unknown-workflow",
        path: `/roles/${role}/agent/workflow`,
        offset: "value",
        message: `no registered or local workflow is called ${child}: without one, the role ${role} fails`,
        suggestion: suggest(child, all),
        also: [],
      },
    ];
  });
}
