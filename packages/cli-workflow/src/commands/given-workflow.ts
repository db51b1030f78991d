import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isPath, shownFrom } from "@uncaged/workflow-engine";
import { loadChecks } from "@uncaged/workflow-moderator";
import { err, type Fault, fault, LIMITS, ok, type Result, shellWord } from "@uncaged/workflow-protocol";
import {
  findLocalWorkflow,
  type InspectedWorkflow,
  inspectWorkflowFile,
  inspectWorkflowText,
  type WorkflowCheck,
} from "@uncaged/workflow-store";
import type { Host } from "../io.js";
import { readGivenText, type TextKind } from "./given-text.js";
import { type KnownWorkflows, unknownChildren } from "./known-workflows.js";

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
  const workflow = given.replace(SCENARIO, ".yaml");
  return err(
    fault("INVALID_INPUT", {
      what: given,
      reason: "it is a scenario, not a workflow",
      hint: `\`uwf workflow test ${shellWord(given)}\` plays it; its workflow is ${shellWord(workflow)}`,
    }),
  );
}
