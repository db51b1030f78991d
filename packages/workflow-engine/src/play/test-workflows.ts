import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { openValues, outputExample } from "@uncaged/workflow-agent-kit";
import {
  type AuthoredWorkflow,
  err,
  FAIL,
  type Fault,
  fault,
  LIMITS,
  ok,
  type PlayedScenario,
  problemLine,
  type Result,
  type ScenarioFailure,
  type TestedWorkflow,
  type WorkflowCoverage,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { parseYamlDocument } from "@uncaged/workflow-store";
import { type AssembledWorkflow, assembleWorkflow, checkWorkflowFile } from "../workflow.js";
import { type Decided, type Played, playScenario, type Unplaced } from "./play.js";
import {
  firstScenario,
  newScenario,
  parseFile,
  type ScenarioFile,
  scenariosOf,
  type Target,
  targetsOf,
} from "./scenarios.js";
import { type Additions, namesOf, newScenarioText, withAdditions } from "./update.js";

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
  for (const subject of subjects) all.push(await testWorkflow(subject, { maxSteps, update, cwd, now }));
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

/** A workflow and its scenarios, all of them read. */
type Subject = {
  /** As it is shown. */
  readonly file: string;
  readonly authored: AuthoredWorkflow;
  readonly scenarios: readonly ScenarioFile[];
};

/** Where the paths of replies lead, and the clock. */
type Options = Pick<Asked, "maxSteps" | "update"> & Pick<Surroundings, "cwd" | "now">;

/** A scenario's file with what it lacked. */
type Update = { readonly shown: string; readonly isNew: boolean; readonly text: string };

export type Tested = { readonly tested: TestedWorkflow; readonly updates: readonly Update[] };

/** Plays every scenario of a workflow. Writes nothing. */
async function testWorkflow(subject: Subject, options: Options): Promise<Tested> {
  const { file, authored, scenarios } = subject;
  const workflow = assembleWorkflow(authored);
  const results: PlayedScenario[] = [];
  const decided: Decided[] = [];
  const updates: Update[] = [];
  for (const scenario of scenarios) {
    const startedAt = options.now();
    const { played, additions } = await playOne(authored, workflow, scenario, options);
    decided.push(...played.decided);
    const written = additions === null ? [] : namesOf(additions);
    if (additions !== null && written.length > 0) updates.push(updated(authored.name, scenario, additions));
    results.push({
      file: scenario.shown,
      ok: played.failure === null,
      path: played.steps.map(({ role }) => role),
      end: played.end,
      durationMs: Math.max(0, options.now() - startedAt),
      failure: played.failure === null ? null : await placed(scenario, played.failure),
      written,
    });
  }
  const coverage = coverageOf(workflow.payload, decided);
  return { tested: { file, workflow: authored.name, scenarios: results, coverage }, updates };
}

type PlayedOne = { readonly played: Played; readonly additions: Additions | null };

async function playOne(
  authored: AuthoredWorkflow,
  workflow: AssembledWorkflow,
  { scenario }: ScenarioFile,
  { maxSteps, update, cwd: workFolder }: Options,
): Promise<PlayedOne> {
  const replyFor = (role: string): string | null => (update ? exampleReply(authored, role) : null);
  const request = { workflow, scenario, maxSteps, workFolder, replyFor };
  const played = await playScenario(request);
  if (!update) return { played, additions: null };
  // If the scenario names no end, the end that was reached is the expected one.
  const fails = scenario.end === null && played.failure?.kind === "wrong-end" && played.end === FAIL;
  const again = fails ? await playScenario({ ...request, scenario: { ...scenario, end: FAIL } }) : played;
  const path = again.failure === null ? again.steps.map(({ role }) => role) : null;
  const additions = {
    expect: scenario.expect === null ? path : null,
    end: fails ? FAIL : null,
    replies: again.added,
  };
  return { played: again, additions };
}

/** A reply that the role's meta accepts; `null` if none could be made. */
function exampleReply(workflow: AuthoredWorkflow, role: string): string | null {
  const meta = workflow.roles[role]?.meta ?? {};
  const example = outputExample(meta, openValues(workflow, role, meta));
  return example === null ? null : `---\n${example}---\nAn example: put here what ${role} says.\n`;
}

function updated(workflow: string, { shown, text }: ScenarioFile, additions: Additions): Update {
  return text === null
    ? { shown, isNew: true, text: newScenarioText(workflow, additions) }
    : { shown, isNew: false, text: withAdditions(text, additions) };
}

/** Where in its file the scenario says what turned out wrong. */
async function placed(
  { shown, text }: ScenarioFile,
  { place, ...failure }: Unplaced,
): Promise<ScenarioFailure> {
  const nowhere = { line: null, column: null };
  if (place === null || text === null) return { ...failure, ...nowhere };
  const yaml = await parseYamlDocument(text, shown, LIMITS.reply);
  // Aliases are allowed in a scenario, and refused there.
  if (!yaml.ok) return { ...failure, ...nowhere };
  return { ...failure, ...yaml.value.locate(`/${place.join("/")}`) };
}

/** Which transitions some decisions took, and what the conditions were. */
export function coverageOf(workflow: WorkflowPayload, decided: readonly Decided[]): WorkflowCoverage {
  const taken = new Map<string, number>();
  const values = new Map<string, number>();
  for (const { from, tried } of decided) {
    count(taken, `${from} ${tried.length - 1}`);
    for (const { condition, value } of tried) if (condition !== null) count(values, `${condition} ${value}`);
  }
  return {
    transitions: Object.entries(workflow.graph).flatMap(([from, transitions]) =>
      transitions.map(({ role, condition }, index) => {
        return { from, role, condition, taken: taken.get(`${from} ${index}`) ?? 0 };
      }),
    ),
    conditions: Object.keys(workflow.conditions).map((condition) => {
      const seen = (value: boolean): number => values.get(`${condition} ${value}`) ?? 0;
      return { condition, true: seen(true), false: seen(false) };
    }),
  };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
