import { basename, dirname, resolve, sep } from "node:path";
import { flag, list, option, some, usually } from "@uncaged/command-line";
import { refuseLink, writeFileAtomic, writeFileHere } from "@uncaged/json-cas-fs";
import { junitText, type Tested, testWorkflows, toYaml } from "@uncaged/workflow-engine";
import {
  err,
  type Fault,
  fault,
  ok,
  type PlayedScenario,
  type Result,
  type ScenarioFailure,
  shellWord,
  type TestedWorkflow,
  type WorkflowCoverage,
  type WorkflowTestOutput,
} from "@uncaged/workflow-protocol";
import { attempt } from "@uncaged/workflow-store";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import { defineCommand, OUTPUT, PATH, POSITIVE } from "../../line/index.js";
import {
  counted,
  cut,
  duration,
  nextCommand,
  oneLine,
  type Paint,
  paintOn,
  type Screen,
  widthOf,
} from "../../screen/index.js";
import { readGivenText } from "../given-text.js";
import { documentWith, writeWhole } from "../output.js";

const NOTES = `A file is a workflow, the name of one in .workflows/, or a scenario beside its
workflow. Replies are read, checked and routed as in a real step. A test fails

- where a role has no reply, or one that its meta does not accept,
- where no transition matches, or a condition fails,
- where the order of the roles is not that of \`expect\`,
- where the thread ends at $FAIL, unless the scenario says \`end: $FAIL\`.

Transitions that no scenario took and conditions that were never true, or never
false, are listed; they fail nothing. More: uwf help scenarios`;

/** Plays scenarios in memory: no model, no agent, no storage root. All files are read before the first is played. */
export const command = defineCommand({
  path: "workflow test",
  summary: "play the scenarios of workflows in memory: no model, no agent",
  arguments: { file: some(PATH) },
  options: {
    scenario: list(
      { ...PATH, name: "file" },
      "instead of <name>.scenario.yaml and <name>.*.scenario.yaml beside the workflow; may be repeated",
    ),
    update: flag("add what a scenario lacks: `expect`, `end`, an example of a reply"),
    maxSteps: usually(POSITIVE, 1000, "fail a scenario that takes more steps"),
    // It is replaced.
    junit: option({ ...OUTPUT, faults: [] }, "write the result as JUnit XML too"),
  },
  examples: [
    "uwf workflow test solve-issue.yaml",
    "uwf workflow test .workflows/*.yaml --junit report.xml",
    "uwf workflow test solve-issue.yaml --scenario rejected-twice.yaml",
    "uwf workflow test solve-issue.yaml --update",
  ],
  notes: NOTES,
  exits: ["WORKFLOW_NOT_FOUND", "INVALID_WORKFLOW", "NO_SCENARIO", "SCENARIOS_FAILED", "FILE_EXISTS"],
  sample: {
    line: "workflow test examples/solve-issue.yaml",
    prints: `solve-issue  examples/solve-issue.yaml
  ✓ examples/solve-issue.scenario.yaml  5 steps
    $START → planner → developer → reviewer → developer → reviewer → $END
  coverage: 5 of 5 transitions taken, 1 of 1 condition tested both ways`,
  },
  run: async (context, { file: files, scenario: named, update, maxSteps, junit }) => {
    const { cwd, now } = context.host;
    const asked = { files, scenarios: named, update, maxSteps, usage: USAGE };
    const read = (file: string) =>
      readGivenText(context.host, { text: null, file }, { name: file, ...SCENARIO });
    const played = await testWorkflows({ cwd, now, warn: context.warn, read }, asked);
    if (!played.ok) return played;
    const all = played.value;
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
    if (junit !== null) {
      const written = attempt(() => writeFileAtomic(resolve(cwd, junit), junitText(value), { mode: null }));
      if (!written.ok) return written;
    }
    const wrong = failed === 0 ? null : fault("SCENARIOS_FAILED", { failed, total: scenarios.length });
    return documentWith(value, wrong, (screen) => testText(value, nextOf(cwd, all), screen));
  },
});

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

/** Bytes; no person writes more by hand. */
const LARGEST = 16 * 1024 * 1024;

const USAGE = "see `uwf help workflow test`";

const SCENARIO = { limit: LARGEST, missing: "", both: "", usage: USAGE };

/** A file, and the folders above it from `.workflows` on: in an untrusted repository each of them may be a link that leads anywhere. */
function placesOf(path: string): readonly string[] {
  const parts = path.split(sep);
  const first = parts.lastIndexOf(".workflows");
  return first === -1 ? [path] : parts.slice(first).map((_, at) => parts.slice(0, first + at + 1).join(sep));
}

/** A scenario that has appeared in the meantime is another person's work. */
function write(path: string, { isNew, text }: Tested["updates"][number]): Result<void, Fault> {
  if (!isNew) return attempt(() => writeFileHere(path, text));
  const written = writeWhole(path, text);
  if (!written.ok) return written;
  return written.value ? ok(undefined) : err(fault("FILE_EXISTS", { path, instead: "test again" }));
}

type Look = { readonly width: number; readonly paint: Paint };

/**
 * What a person sees of `workflow test`: for each scenario its path and, if it failed, its first wrong step; for each
 * workflow what no scenario covered; and the command that probably comes next.
 */
export function testText(
  { workflows, passed, failed }: WorkflowTestOutput,
  next: string | null,
  screen: Screen,
): string {
  const paint = paintOn(screen);
  const look = { width: screen.width, paint };
  const scenarios = workflows.flatMap((tested) => tested.scenarios);
  const took = scenarios.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const counts = [
    ...(passed === 0 ? [] : [paint.good(`${passed} passed`)]),
    ...(failed === 0 ? [] : [paint.bad(`${failed} failed`)]),
  ];
  const sum = `${counted(scenarios.length, "scenario")}: ${counts.join(", ")}, ${duration(took)}\n`;
  const texts = workflows.map((tested) => workflowText(tested, look)).join("\n");
  return `${texts}\n${sum}${next === null ? "" : nextCommand(screen, next)}`;
}

function workflowText({ file, workflow, scenarios, coverage }: TestedWorkflow, look: Look): string {
  const { strong, dim } = look.paint;
  const title = `${strong(workflow)}  ${dim(oneLine(file))}\n`;
  const isComplete = scenarios.every(({ ok }) => ok);
  const played = scenarios.map((scenario) => scenarioText(scenario, look)).join("");
  // After a failure every later transition is one that was never taken.
  return `${title}${played.trimEnd()}\n${isComplete ? coverageText(coverage, look) : ""}`;
}

function scenarioText({ file, ok, path, end, failure, written }: PlayedScenario, look: Look): string {
  const { good, bad, dim } = look.paint;
  const added = written.length === 0 ? [] : [`    written: ${written.join(", ")}`];
  const reached = end ?? failure?.got ?? null;
  const way = pathLines(["$START", ...path, ...(reached === null ? [] : [reached])], look.width - 4);
  const lines = [
    `  ${ok ? good("✓") : bad("✗")} ${oneLine(file)}  ${dim(counted(path.length, "step"))}`,
    ...way.map((line) => `    ${dim(line)}`),
    ...added,
    ...(failure === null ? [] : ["", ...failureLines(failure, file, look), ""]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Roles that are shown at the beginning and at the end of a long path. */
const SHOWN = 20;

/** A path on lines of at most `width` columns. */
function pathLines(path: readonly string[], width: number): readonly string[] {
  const left = path.length - 2 * SHOWN;
  const middle = [`… ${left} more …`];
  const roles = left <= 1 ? path : [...path.slice(0, SHOWN), ...middle, ...path.slice(-SHOWN)];
  const lines: string[] = [];
  for (const [index, role] of roles.entries()) {
    const word = index === 0 ? role : `→ ${role}`;
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (index > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function failureLines(failure: ScenarioFailure, file: string, look: Look): readonly string[] {
  const { message, hint, step, problems, line, column } = failure;
  const place = line === null ? oneLine(file) : `${oneLine(file)}:${line}:${column ?? 1}`;
  return [
    `    ${look.paint.bad(`step ${step}`)}  ${look.paint.strong(place)}`,
    ...textLines(message),
    ...problems.flatMap((problem) => textLines(`- ${problem}`)),
    ...(BY_DECISION.has(failure.kind) ? decisionLines(failure, look) : []),
    ...(hint === null ? [] : [`    ${look.paint.warn("hint:")} ${hint}`]),
  ];
}

function textLines(text: string): readonly string[] {
  return sanitizeTerminal(text)
    .split("\n")
    .map((line) => `    ${line}`);
}

/** Where the transitions say why. */
const BY_DECISION: ReadonlySet<ScenarioFailure["kind"]> = new Set([
  "wrong-role",
  "wrong-end",
  "routing",
  "too-long",
]);

/** Lines of an output. */
const MOST_LINES = 12;

/** The output that was decided upon, and what each transition made of it. */
function decisionLines({ after, transitions }: ScenarioFailure, look: Look): readonly string[] {
  const width = look.width - 6;
  const output = after === null ? [] : sanitizeTerminal(toYaml(after.output)).trimEnd().split("\n");
  const shown = output.slice(0, MOST_LINES).map((line) => `      ${cut(line, width)}`);
  return [
    ...(after === null ? [] : [`    after ${after.role}, whose output is`, ...shown]),
    ...(output.length > MOST_LINES ? ["      …"] : []),
    `    the transitions from ${after?.role ?? "$START"} are`,
    ...transitions.map((each) => `      ${transitionText(each, width, look.paint)}`),
  ];
}

/** Columns; in fewer nothing of an expression can be understood. */
const NARROWEST = 12;

type Explained = ScenarioFailure["transitions"][number];

function transitionText(
  { role, condition, expression, value, error }: Explained,
  width: number,
  paint: Paint,
): string {
  if (condition === null) return `→ ${role}: ${paint.good("otherwise")}`;
  const word = error === null ? String(value) : "error";
  const painted = error !== null ? paint.bad(word) : value === true ? paint.good(word) : word;
  const head = `→ ${role} when ${condition}: `;
  const room = width - widthOf(head) - word.length - 2;
  const why = room < NARROWEST ? "" : `  ${paint.dim(cut(oneLine(error ?? expression ?? ""), room))}`;
  return head + painted + why;
}

function coverageText({ transitions, conditions }: WorkflowCoverage, { width, paint }: Look): string {
  const untaken = transitions.filter(({ taken }) => taken === 0);
  const oneSided = conditions.filter((each) => each.true === 0 || each.false === 0);
  const gaps = [
    ...untaken.map(({ from, role, condition }) => {
      const when = condition === null ? "" : ` when ${condition}`;
      return `never taken: ${from} → ${role}${when}`;
    }),
    ...oneSided.map((each) => `never ${neverOf(each)}: ${each.condition}`),
  ];
  const taken = `${transitions.length - untaken.length} of ${counted(transitions.length, "transition")} taken`;
  const seen = `${conditions.length - oneSided.length} of ${counted(conditions.length, "condition")} tested both ways`;
  const sentence = `  coverage: ${taken}${conditions.length === 0 ? "" : `, ${seen}`}`;
  const shown = gap(sentence, gaps.length === 0 ? paint.good : paint.warn, width);
  return shown + gaps.map((line) => gap(`    ${line}`, paint.warn, width)).join("");
}

function gap(line: string, colour: (text: string) => string, width: number): string {
  return `${colour(cut(line, width))}\n`;
}

function neverOf(condition: WorkflowCoverage["conditions"][number]): string {
  if (condition.true === 0 && condition.false === 0) return "evaluated";
  return condition.true === 0 ? "true" : "false";
}
