import { basename, dirname, resolve, sep } from "node:path";
import { flag, list, option, some, usually } from "@uncaged/command-line";
import { junitText, type Tested, testWorkflows } from "@uncaged/workflow-engine";
import {
  err,
  type Fault,
  fault,
  ok,
  type Result,
  shellWord,
  type TestedWorkflow,
  type WorkflowTestOutput,
} from "@uncaged/workflow-protocol";
import { attempt, refuseLink, writeFileAtomic, writeFileHere, writeNewFile } from "@uncaged/workflow-store";
import { defineCommand, OUTPUT, PATH, POSITIVE } from "../../line/index.js";
import { readGivenText, type TextKind } from "../given-text.js";
import { documentWith } from "../output.js";
import { testText } from "./test-words.js";

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
    const read = (file: string) => readGivenText(context.host, { text: null, file }, scenarioKind(file));
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
      const written = replace(resolve(cwd, junit), junitText(value));
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

function scenarioKind(name: string): TextKind {
  return { name, limit: LARGEST, missing: "", both: "", usage: USAGE };
}

/** A file, and the folders above it from `.workflows` on: in an untrusted repository each of them may be a link that leads anywhere. */
function placesOf(path: string): readonly string[] {
  const parts = path.split(sep);
  const first = parts.lastIndexOf(".workflows");
  return first === -1 ? [path] : parts.slice(first).map((_, at) => parts.slice(0, first + at + 1).join(sep));
}

/** A scenario that has appeared in the meantime is another person's work. */
function write(path: string, { isNew, text }: Tested["updates"][number]): Result<void, Fault> {
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
