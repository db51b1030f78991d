import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseScenario, type Scenario } from "@uncaged/workflow-util";
import { type Played, playScenario } from "../../src/play/play.js";
import { type AssembledWorkflow, assembleWorkflow, checkWorkflowFile } from "../../src/workflow.js";

export async function scenarioOf(text: string): Promise<Scenario> {
  const parsed = await parseScenario(text, "s.yaml");
  if (!parsed.ok) throw new Error(parsed.problems.join("\n"));
  return parsed.scenario;
}

type Options = {
  readonly maxSteps: number;
  readonly folder: string;
  readonly replyFor: (role: string) => string | null;
};

/** A workflow's text, checked and assembled. */
export async function assembledText(workflow: string): Promise<AssembledWorkflow> {
  const file = join(mkdtempSync(join(tmpdir(), "uwf-play-")), "w.yaml");
  writeFileSync(file, workflow);
  const checked = await checkWorkflowFile(file);
  if (!checked.ok) throw new Error(JSON.stringify(checked.error));
  return assembleWorkflow(checked.value.authored);
}

/** Plays a scenario's text under a workflow's, in this process. */
export async function played(
  workflow: string,
  scenario: string,
  { maxSteps = 50, folder = "/", replyFor = () => null }: Partial<Options> = {},
): Promise<Played> {
  const assembled = await assembledText(workflow);
  return playScenario({
    workflow: assembled,
    scenario: await scenarioOf(scenario),
    maxSteps,
    workFolder: folder,
    replyFor,
  });
}

export function textOf(file: string): string {
  return readFileSync(file, "utf8");
}

/** A reply with these lines in its header, as a block of a scenario. */
export function entry(...lines: readonly string[]): string {
  const header = lines.map((line) => `        ${line}\n`).join("");
  return `    - reply: |\n        ---\n${header}        ---\n        Said.\n`;
}

/** Who works, and who looks at it: a person, if `agent` says so. */
export function loopYaml(agent = ""): string {
  return `name: loop
description: Work, and a look at it
roles:
  worker:
    description: works
    goal: Work
    capabilities: []
    procedure: ""
    output: ""
    meta:
      type: object
      required: [note]
      properties: { note: { type: string, minLength: 1 }, urgent: { type: boolean } }
  checker:
    description: checks
    goal: Check
    capabilities: []
    procedure: ""
    output: ""
${agent}    meta:
      type: object
      required: [approved]
      properties:
        approved: { type: boolean }
        answeredBy: { type: string }
        timedOut: { type: boolean }
conditions:
  rejected:
    description: sent back
    expression: steps[-1].output.approved = false
  hopeless:
    description: too often
    expression: $count(steps[role = 'checker']) >= 3
graph:
  $START: [{ role: worker, condition: null }]
  worker: [{ role: checker, condition: null }]
  checker:
    - { role: $FAIL, condition: hopeless }
    - { role: worker, condition: rejected }
    - { role: $END, condition: null }
`;
}
