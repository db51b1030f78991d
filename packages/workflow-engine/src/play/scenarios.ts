import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { suggest } from "@uncaged/json-cas";
import { type AuthoredWorkflow, err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { findLocalWorkflow, findLocalWorkflows } from "@uncaged/workflow-store";
import { parseScenario, type Scenario } from "@uncaged/workflow-util";
import { isPath, shownFrom } from "../workflow.js";

// Which scenarios belong to which workflow. Paths are kept as they were typed: they are shown.

/** A workflow's file with the scenarios that were named. */
export type Target = {
  readonly file: string;
  readonly scenarios: readonly string[];
  /** Whether the scenarios beside the workflow belong to it too. */
  readonly withOthers: boolean;
};

const SCENARIO = /^(.+?)(\.[^/]+)?\.scenario\.ya?ml$/;

/**
 * The workflows behind the words of a command line, in their order: files, names in `.workflows/`, and scenarios, which
 * stand for the workflow beside them. So `examples/*.yaml` means what it looks like.
 */
export function targetsOf(cwd: string, words: readonly string[]): Result<readonly Target[], Fault> {
  const targets = new Map<string, Target>();
  for (const word of words) {
    const stem = SCENARIO.exec(word)?.[1];
    const file = stem === undefined ? fileOf(cwd, word) : workflowAt(cwd, stem, word);
    if (!file.ok) return file;
    const key = resolve(cwd, file.value);
    const known = targets.get(key) ?? { file: file.value, scenarios: [], withOthers: false };
    targets.set(
      key,
      stem === undefined
        ? { ...known, withOthers: true }
        : { ...known, scenarios: [...known.scenarios, word] },
    );
  }
  return ok([...targets.values()]);
}

function fileOf(cwd: string, word: string): Result<string, Fault> {
  if (isPath(word)) return ok(word);
  const local = findLocalWorkflow(cwd, word);
  if (!local.ok) return local;
  if (local.value !== null) return ok(shownFrom(cwd, local.value.file));
  const known = findLocalWorkflows(cwd).map(({ name }) => name);
  return err(fault("WORKFLOW_NOT_FOUND", { name: word, suggestion: suggest(word, known) }));
}

/** The first of the places where a workflow may be that is there. */
function workflowAt(cwd: string, stem: string, scenario: string): Result<string, Fault> {
  const usual = `${stem}.yaml`;
  const places = [usual, `${stem}.yml`, join(dirname(stem), "index.yaml"), join(dirname(stem), "index.yml")];
  const file = places.find((each) => existsSync(resolve(cwd, each)));
  if (file !== undefined || !existsSync(resolve(cwd, scenario))) return ok(file ?? usual);
  const reason = `it does not exist, and ${scenario} would be a scenario of it`;
  return err(fault("FILE_NOT_FOUND", { path: usual, reason }));
}

/** The scenarios of a target: `<name>.scenario.yaml`, then `<name>.*.scenario.yaml` by name, then others that were named. */
export function scenariosOf(cwd: string, target: Target, { name }: AuthoredWorkflow): readonly string[] {
  const beside = target.withOthers ? besides(cwd, dirname(target.file), name) : [];
  const known = new Set(beside.map((file) => resolve(cwd, file)));
  return [...beside, ...target.scenarios.filter((file) => !known.has(resolve(cwd, file)))];
}

function besides(cwd: string, folder: string, name: string): readonly string[] {
  const found = namesIn(resolve(cwd, folder)).flatMap((entry) => {
    const [, stem, variant = ""] = SCENARIO.exec(entry) ?? [];
    return stem === name ? [{ variant, file: join(folder, entry) }] : [];
  });
  return found.sort((a, b) => (a.variant < b.variant ? -1 : 1)).map(({ file }) => file);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A scenario and its file. */
export type ScenarioFile = {
  readonly shown: string;
  /** `null`: it is not there yet. */
  readonly text: string | null;
  readonly scenario: Scenario;
};

/** A mistake made once is often made in every reply. */
const MOST_PROBLEMS = 10;

/** A draft is one that gets what it lacks. */
export async function parseFile(
  shown: string,
  text: string,
  isDraft: boolean,
): Promise<Result<ScenarioFile, Fault>> {
  const parsed = await parseScenario(text.replace(/^\ufeff/, ""), shown, isDraft);
  if (parsed.ok) return ok({ shown, text, scenario: parsed.scenario });
  const shownOnes = parsed.problems.slice(0, MOST_PROBLEMS).map((problem) => `\n  ${problem}`);
  const left = parsed.problems.length - MOST_PROBLEMS;
  const reason = `${shownOnes.join("")}${left > 0 ? `\n  and ${left} more` : ""}`;
  return err(fault("INVALID_INPUT", { what: `scenario ${shown}`, reason, hint: "see `uwf help scenarios`" }));
}

/** Where the first scenario of a workflow is written. */
export function firstScenario({ file }: Target, { name }: AuthoredWorkflow): string {
  return join(dirname(file), `${name}.scenario.yaml`);
}

/** A scenario that is not there yet. */
export function newScenario(shown: string): ScenarioFile {
  const nothing = { texts: new Map(), roles: new Map(), expect: null, end: null, prompt: null };
  return { shown, text: null, scenario: { file: shown, ...nothing } };
}
