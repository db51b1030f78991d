import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, resolve, sep } from "node:path";
import {
  err,
  type Fault,
  fault,
  ok,
  problemLine,
  type Result,
  shellWord,
  type TestedWorkflow,
  type WorkflowTestOutput,
} from "@uncaged/workflow-protocol";
import { attempt, refuseLink, writeFileAtomic, writeFileHere, writeNewFile } from "@uncaged/workflow-store";
import type { Host } from "../io.js";
import type { CommandContext, CommandResult } from "../line/index.js";
import {
  firstScenario,
  junitText,
  newScenario,
  parseFile,
  type ScenarioFile,
  type Subject,
  scenariosOf,
  type Target,
  type Tested,
  targetsOf,
  testText,
  testWorkflow,
  type Update,
} from "../play/index.js";
import { checkWorkflowFile } from "../workflow.js";
import { readGivenText } from "./given-text.js";
import { documentWith } from "./output.js";

type TestRequest = {
  readonly files: readonly string[];
  /** Instead of those beside the workflow; none: those. */
  readonly scenarios: readonly string[];
  readonly maxSteps: number;
  /** Whether the scenarios get what they lack. */
  readonly update: boolean;
  /** Where the result is written for a CI system; `null`: nowhere. */
  readonly junit: string | null;
};

/** Plays scenarios in memory: no model, no agent, no storage root. All files are read before the first is played. */
export async function workflowTest(context: CommandContext, request: TestRequest): CommandResult {
  const { cwd, now } = context.host;
  const subjects = await readAll(context, request);
  if (!subjects.ok) return subjects;
  const all: Tested[] = [];
  for (const subject of subjects.value)
    all.push(await testWorkflow(subject, { ...request, folder: cwd, now }));
  const scenarios = all.flatMap(({ tested }) => tested.scenarios);
  const failed = scenarios.filter(({ ok }) => !ok).length;
  const workflows = all.map(({ tested }) => tested);
  const value: WorkflowTestOutput = { passed: scenarios.length - failed, failed, workflows };
  const updates = all.flatMap((each) => each.updates);
  const linked = attempt(() => {
    for (const { shown } of updates) for (const place of placesOf(resolve(cwd, shown))) refuseLink(place);
  });
  if (!linked.ok) return linked;
  for (const update of updates) {
    const written = write(resolve(cwd, update.shown), update);
    if (!written.ok) return written;
  }
  if (request.junit !== null) {
    const written = replace(resolve(cwd, request.junit), junitText(value));
    if (!written.ok) return written;
  }
  const wrong = failed === 0 ? null : fault("SCENARIOS_FAILED", { failed, total: scenarios.length });
  return documentWith(value, wrong, (screen) => testText(value, nextOf(cwd, all), screen));
}

/** What a person types next; `null`: several workflows pass. */
function nextOf(cwd: string, all: readonly Tested[]): string | null {
  const [tested] = all
    .map((each) => each.tested)
    .filter((each, _, { length }) => length === 1 || isFailed(each));
  if (tested === undefined) return null;
  const again = `uwf workflow test ${shellWord(tested.file)}`;
  const lacks = tested.scenarios.some(({ failure }) => failure?.kind === "no-reply");
  if (lacks) return `${again} --update`;
  if (isFailed(tested) || tested.scenarios.some(({ written }) => written.length > 0)) return again;
  // A workflow of the project is called by its name.
  const isLocal = basename(dirname(resolve(cwd, tested.file))) === ".workflows";
  return `uwf run ${isLocal ? tested.workflow : shellWord(tested.file)} -p "<task>"`;
}

function isFailed({ scenarios }: TestedWorkflow): boolean {
  return scenarios.some(({ ok }) => !ok);
}

async function readAll(
  context: CommandContext,
  { files, scenarios, update }: TestRequest,
): Promise<Result<readonly Subject[], Fault>> {
  const targets = targetsOf(context.host.cwd, files);
  if (!targets.ok) return targets;
  if (scenarios.length > 0 && targets.value.length > 1) {
    const reason = `--scenario belongs to one workflow, and there are ${targets.value.length}`;
    return err(fault("USAGE", { reason, usage: "see `uwf help workflow test`" }));
  }
  const subjects: Subject[] = [];
  for (const target of targets.value) {
    const named = scenarios.length > 0 ? { ...target, scenarios, withOthers: false } : target;
    const subject = await readOne(context, named, update);
    if (!subject.ok) return subject;
    subjects.push(subject.value);
  }
  return ok(subjects);
}

async function readOne(
  { host, warn }: CommandContext,
  target: Target,
  update: boolean,
): Promise<Result<Subject, Fault>> {
  const { file } = target;
  const checked = await checkWorkflowFile(resolve(host.cwd, file));
  if (!checked.ok) return checked;
  const { authored, warnings } = checked.value;
  for (const problem of warnings) warn(problemLine(problem, file));
  const names = scenariosOf(host.cwd, target, authored);
  if (names.length === 0) {
    if (update) return ok({ file, authored, scenarios: [newScenario(firstScenario(target, authored))] });
    return err(fault("NO_SCENARIO", { workflow: authored.name, file }));
  }
  const scenarios: ScenarioFile[] = [];
  for (const name of names) {
    const scenario = await readScenario(host, name, update);
    if (!scenario.ok) return scenario;
    scenarios.push(scenario.value);
  }
  return ok({ file, authored, scenarios });
}

/** Bytes; more than anybody writes by hand. */
const LARGEST = 16 * 1024 * 1024;

function readScenario(
  host: Host,
  file: string,
  update: boolean,
): Promise<Result<ScenarioFile, Fault>> | Result<ScenarioFile, Fault> {
  if (update && !existsSync(resolve(host.cwd, file))) return ok(newScenario(file));
  if (update && isBlank(resolve(host.cwd, file))) return parseFile(file, "", update);
  const kind = { name: file, limit: LARGEST, missing: "", both: "", usage: "see `uwf help workflow test`" };
  const text = readGivenText(host, { text: null, file }, kind);
  return text.ok ? parseFile(file, text.value, update) : text;
}

function isBlank(path: string): boolean {
  const { size = LARGEST } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return size < LARGEST && statSync(path).isFile() && readFileSync(path, "utf8").trim() === "";
}

/** A file, and the folders above it from `.workflows` on: a stranger's repository may have each of them lead anywhere. */
function placesOf(path: string): readonly string[] {
  const parts = path.split(sep);
  const first = parts.lastIndexOf(".workflows");
  return first === -1 ? [path] : parts.slice(first).map((_, at) => parts.slice(0, first + at + 1).join(sep));
}

/** A scenario that has appeared in the meantime is somebody's work. */
function write(path: string, { isNew, text }: Update): Result<void, Fault> {
  if (!isNew) return attempt(() => writeFileHere(path, text));
  const fill = (write: (piece: string) => void): true => {
    write(text);
    return true;
  };
  const written = attempt(() => writeNewFile(path, false, fill));
  if (!written.ok) return written;
  return written.value === null ? err(fault("FILE_EXISTS", { path, instead: "test again" })) : ok(undefined);
}

function replace(path: string, text: string): Result<void, Fault> {
  return attempt(() => writeFileAtomic(path, text, { mode: null }));
}
