import { openValues, outputExample } from "@uncaged/workflow-agent-kit";
import {
  type AuthoredWorkflow,
  FAIL,
  LIMITS,
  type PlayedScenario,
  type ScenarioFailure,
  type TestedWorkflow,
} from "@uncaged/workflow-protocol";
import { parseYamlDocument } from "@uncaged/workflow-store";
import { type AssembledWorkflow, assembleWorkflow } from "../workflow.js";
import { coverageOf } from "./coverage.js";
import { playScenario } from "./play.js";
import type { ScenarioFile } from "./scenarios.js";
import type { Decided, Played, Unplaced } from "./types.js";
import { type Additions, namesOf, newScenarioText, withAdditions } from "./update.js";

/** A workflow and its scenarios, all of them read. */
export type Subject = {
  /** As it is shown. */
  readonly file: string;
  readonly authored: AuthoredWorkflow;
  readonly scenarios: readonly ScenarioFile[];
};

type Options = {
  readonly maxSteps: number;
  /** Whether the scenarios get what they lack. */
  readonly update: boolean;
  readonly workFolder: string;
  /** Epoch ms. */
  readonly now: () => number;
};

/** A scenario's file with what it lacked. */
export type Update = { readonly shown: string; readonly isNew: boolean; readonly text: string };

export type Tested = { readonly tested: TestedWorkflow; readonly updates: readonly Update[] };

/** Plays every scenario of a workflow. Writes nothing. */
export async function testWorkflow(subject: Subject, options: Options): Promise<Tested> {
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
  { maxSteps, update, workFolder }: Options,
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
