import type { PlayedScenario, TestedWorkflow, WorkflowTestOutput } from "@uncaged/workflow-protocol";

/** The result as CI systems read it: a suite for each workflow, a test case for each scenario. */
export function junitText({ workflows }: WorkflowTestOutput): string {
  const suites = workflows.map(suiteText).join("");
  const all = workflows.flatMap(({ scenarios }) => scenarios);
  const counts = countsOf(all);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="uwf workflow test" ${counts}>\n${suites}</testsuites>\n`;
}

function suiteText({ file, workflow, scenarios }: TestedWorkflow): string {
  const cases = scenarios.map((scenario) => caseText(workflow, scenario)).join("");
  const names = `name="${escaped(workflow)}" file="${escaped(file)}"`;
  return `  <testsuite ${names} ${countsOf(scenarios)}>\n${cases}  </testsuite>\n`;
}

function countsOf(scenarios: readonly PlayedScenario[]): string {
  const failures = scenarios.filter(({ ok }) => !ok).length;
  const took = scenarios.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return `tests="${scenarios.length}" failures="${failures}" time="${seconds(took)}"`;
}

function caseText(workflow: string, { file, durationMs, failure }: PlayedScenario): string {
  const name = escaped(file);
  const attributes = `classname="${escaped(workflow)}" name="${name}" file="${name}" time="${seconds(durationMs)}"`;
  if (failure === null) return `    <testcase ${attributes}/>\n`;
  const { kind, message, step, problems, line } = failure;
  const lines = [`${file}${line === null ? "" : `:${line}`}: step ${step}`, message, ...problems];
  const text = `<failure type="${kind}" message="${escaped(message)}">${escaped(lines.join("\n"))}</failure>`;
  return `    <testcase ${attributes}>\n      ${text}\n    </testcase>\n`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/** XML 1.0 has no way to write most control characters and half a surrogate pair. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|\p{Surrogate}/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

function escaped(text: string): string {
  return text
    .replace(NOT_XML, "\ufffd")
    .replace(/[&<>"\n]/g, (character) => ENTITIES[character] ?? character);
}
