import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { err, type Fault, fault, ok, problemLine, type Result } from "@uncaged/workflow-protocol";
import { checkWorkflowFile } from "../workflow.js";
import {
  firstScenario,
  newScenario,
  parseFile,
  type ScenarioFile,
  scenariosOf,
  type Target,
  targetsOf,
} from "./scenarios.js";
import { type Subject, type Tested, testWorkflow } from "./test-workflow.js";

type Surroundings = {
  /** Where files are, and the paths of replies lead. */
  readonly cwd: string;
  /** Epoch ms. */
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  /** Reads a scenario. */
  readonly read: (file: string) => Result<string, Fault>;
};

type Asked = {
  readonly files: readonly string[];
  /** Used instead of the scenarios next to the workflow; if empty, those are used. */
  readonly scenarios: readonly string[];
  /** Whether the scenarios get what they lack. */
  readonly update: boolean;
  readonly maxSteps: number;
  /** What a wrong line is answered with. */
  readonly usage: string;
};

/** Plays the scenarios of workflows. Reads all files before it plays the first, and writes nothing. */
export async function testWorkflows(
  surroundings: Surroundings,
  asked: Asked,
): Promise<Result<readonly Tested[], Fault>> {
  const { files, scenarios, update, maxSteps, usage } = asked;
  const { cwd, now } = surroundings;
  const targets = targetsOf(cwd, files);
  if (!targets.ok) return targets;
  if (scenarios.length > 0 && targets.value.length > 1) {
    const reason = `--scenario belongs to one workflow, and there are ${targets.value.length}`;
    return err(fault("USAGE", { reason, usage }));
  }
  const subjects: Subject[] = [];
  for (const target of targets.value) {
    const named = scenarios.length > 0 ? { ...target, scenarios, withOthers: false } : target;
    const subject = await readSubject(surroundings, named, update);
    if (!subject.ok) return subject;
    subjects.push(subject.value);
  }
  const all: Tested[] = [];
  for (const subject of subjects)
    all.push(await testWorkflow(subject, { maxSteps, update, workFolder: cwd, now }));
  return ok(all);
}

async function readSubject(
  surroundings: Surroundings,
  target: Target,
  update: boolean,
): Promise<Result<Subject, Fault>> {
  const { cwd, warn } = surroundings;
  const { file } = target;
  const checked = await checkWorkflowFile(resolve(cwd, file));
  if (!checked.ok) return checked;
  const { authored, warnings } = checked.value;
  for (const problem of warnings) warn(problemLine(problem, file));
  const names = scenariosOf(cwd, target, authored);
  if (names.length === 0) {
    if (update) return ok({ file, authored, scenarios: [newScenario(firstScenario(target, authored))] });
    return err(fault("NO_SCENARIO", { workflow: authored.name, file }));
  }
  const scenarios: ScenarioFile[] = [];
  for (const name of names) {
    const scenario = await readScenario(surroundings, name, update);
    if (!scenario.ok) return scenario;
    scenarios.push(scenario.value);
  }
  return ok({ file, authored, scenarios });
}

async function readScenario(
  { cwd, read }: Surroundings,
  file: string,
  update: boolean,
): Promise<Result<ScenarioFile, Fault>> {
  if (update && !existsSync(resolve(cwd, file))) return ok(newScenario(file));
  if (update && isBlank(resolve(cwd, file))) return parseFile(file, "", update);
  const text = read(file);
  return text.ok ? parseFile(file, text.value, update) : text;
}

/** More than an empty file may have, in bytes. */
const BLANK = 64 * 1024;

function isBlank(path: string): boolean {
  const { size = BLANK } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return size < BLANK && statSync(path).isFile() && readFileSync(path, "utf8").trim() === "";
}
