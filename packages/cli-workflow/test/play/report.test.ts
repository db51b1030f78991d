import { junitText } from "@uncaged/workflow-engine";
import type { PlayedScenario, ScenarioFailure, WorkflowTestOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { testText } from "../../src/commands/workflow/test.js";

const PASSED: PlayedScenario = {
  file: "loop.scenario.yaml",
  ok: true,
  path: ["writer", "reviewer"],
  end: "$END",
  durationMs: 4,
  failure: null,
  written: [],
};

const FAILURE: ScenarioFailure = {
  kind: "wrong-role",
  message: "step 3 is writer, expected editor",
  hint: null,
  step: 3,
  expected: "editor",
  got: "writer",
  problems: [],
  line: 2,
  column: 30,
  after: { role: "reviewer", output: { approved: false, comments: "no" } },
  transitions: [
    { role: "$FAIL", condition: "odd", expression: "$bad(", value: null, error: "condition odd failed" },
    {
      role: "writer",
      condition: "rejected",
      expression: "steps[-1].output.approved = false",
      value: true,
      error: null,
    },
    { role: "$END", condition: null, expression: null, value: true, error: null },
  ],
};

const COVERED = {
  transitions: [
    { from: "$START", role: "writer", condition: null, taken: 1 },
    { from: "reviewer", role: "writer", condition: "rejected", taken: 0 },
  ],
  conditions: [{ condition: "rejected", true: 0, false: 2 }],
};

function result(...scenarios: readonly PlayedScenario[]): WorkflowTestOutput {
  const failed = scenarios.filter(({ ok }) => !ok).length;
  const workflows = [{ file: "loop.yaml", workflow: "loop", scenarios, coverage: COVERED }];
  return { passed: scenarios.length - failed, failed, workflows };
}

const FAILED: PlayedScenario = { ...PASSED, ok: false, end: null, failure: FAILURE };

const text = (width: number, ...scenarios: readonly PlayedScenario[]): string =>
  testText(result(...scenarios), null, { width, colour: false, now: 0 });

describe("what a person sees", () => {
  it("is each scenario's path, and what no scenario covered", () => {
    expect(text(80, PASSED)).toBe(`loop  loop.yaml
  ✓ loop.scenario.yaml  2 steps
    $START → writer → reviewer → $END
  coverage: 1 of 2 transitions taken, 0 of 1 condition tested both ways
    never taken: reviewer → writer when rejected
    never true: rejected

1 scenario: 1 passed, 4 ms
`);
  });

  it("is the first wrong step, with what was decided upon and how", () => {
    expect(text(80, PASSED, FAILED)).toBe(`loop  loop.yaml
  ✓ loop.scenario.yaml  2 steps
    $START → writer → reviewer → $END
  ✗ loop.scenario.yaml  2 steps
    $START → writer → reviewer → writer

    step 3  loop.scenario.yaml:2:30
    step 3 is writer, expected editor
    after reviewer, whose output is
      approved: false
      comments: no
    the transitions from reviewer are
      → $FAIL when odd: error  condition odd failed
      → writer when rejected: true  steps[-1].output.approved = false
      → $END: otherwise

2 scenarios: 1 passed, 1 failed, 8 ms
`);
  });

  it("fits the screen: long paths are wrapped and shortened, long lines cut", () => {
    const path = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? "writer" : "reviewer"));
    const output = { approved: false, comments: "word ".repeat(50) };
    const long = { ...FAILED, path, failure: { ...FAILURE, after: { role: "reviewer", output } } };
    const shown = text(60, { ...PASSED, path }, long);
    for (const line of shown.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
    expect(shown).toContain("… 62 more …");
  });

  it("has no terminal codes of a reply", () => {
    const output = { approved: false, comments: "\u001b[31mred\u001b]0;title\u0007" };
    const failure = { ...FAILURE, after: { role: "reviewer", output }, problems: ["\u001b[2Jbad"] };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes are what this looks for
    expect(text(80, { ...FAILED, failure })).not.toMatch(/[\u001b\u0007]/);
  });
});

describe("JUnit", () => {
  it("has a suite for each workflow and a case for each scenario", () => {
    expect(junitText(result(PASSED, FAILED))).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="uwf workflow test" tests="2" failures="1" time="0.008">
  <testsuite name="loop" file="loop.yaml" tests="2" failures="1" time="0.008">
    <testcase classname="loop" name="loop.scenario.yaml" file="loop.scenario.yaml" time="0.004"/>
    <testcase classname="loop" name="loop.scenario.yaml" file="loop.scenario.yaml" time="0.004">
      <failure type="wrong-role" message="step 3 is writer, expected editor">loop.scenario.yaml:2: step 3&#10;step 3 is writer, expected editor</failure>
    </testcase>
  </testsuite>
</testsuites>
`);
  });

  it("escapes what XML reads, and leaves out what it cannot have", () => {
    const message = `<b> & "c" \u0000\u001b\ud800 é 😀`;
    const xml = junitText(result({ ...FAILED, file: "a&b.yaml", failure: { ...FAILURE, message } }));
    expect(xml).toContain('message="&lt;b&gt; &amp; &quot;c&quot; \ufffd\ufffd\ufffd é 😀"');
    expect(xml).toContain('name="a&amp;b.yaml"');
  });
});
