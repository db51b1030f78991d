import { toYaml } from "@uncaged/workflow-engine";
import type {
  PlayedScenario,
  ScenarioFailure,
  TestedWorkflow,
  WorkflowCoverage,
  WorkflowTestOutput,
} from "@uncaged/workflow-protocol";
import { sanitizeTerminal } from "@uncaged/workflow-util";
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
