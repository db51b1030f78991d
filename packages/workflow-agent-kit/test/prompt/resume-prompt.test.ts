import { describe, expect, it } from "vitest";
import { buildResumePrompt, type PromptStep, type RolePromptInput } from "../../src/prompt/index.js";

const INPUT: RolePromptInput = {
  thread: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  workflow: "solve-issue",
  role: "developer",
  definition: {
    description: "Writes the change",
    goal: "Make it work.",
    capabilities: ["write code"],
    procedure: "A long procedure.",
    output: "A change.",
  },
  outputFormatInstruction: "FORMAT",
  task: "Fix issue 7.",
  steps: [],
  historyBudget: null,
};

/** Newest first, as they are read. */
function steps(count: number, reply: string): readonly PromptStep[] {
  return Array.from({ length: count }, (_, index) => {
    const number = count - index;
    return { hash: `HASH${number}`, role: "reviewer", output: { number }, reply: `Reply ${number}.${reply}` };
  });
}

const titles = (prompt: string): readonly string[] => [...prompt.matchAll(/^#+ .*$/gm)].map(([line]) => line);

describe("the prompt of a later visit", () => {
  it("has the format, a reminder of scope and role, the task, and what has happened since", () => {
    const prompt = buildResumePrompt({ ...INPUT, steps: steps(2, "") });
    expect(titles(prompt)).toEqual([
      "# Deliverable format",
      "# Scope",
      "# Role",
      "## Goal",
      "# Task",
      "# What happened since your last step",
    ]);
    expect(prompt).toContain("FORMAT");
    expect(prompt).toContain("<task>\nFix issue 7.\n</task>");
    expect(prompt).not.toContain("A long procedure.");
    expect(prompt.indexOf("Reply 1.")).toBeLessThan(prompt.indexOf("Reply 2."));
  });

  it("names a long task instead of repeating it", () => {
    const prompt = buildResumePrompt({ ...INPUT, task: "x".repeat(2001) });
    expect(prompt).not.toContain("xxx");
    expect(prompt).toContain("`uwf thread read 01ARZ3NDEKTSV4RRFFQ69G5FAV` shows it again");
  });

  it("keeps the newest step complete and shortens older ones first, saying how to read the rest", () => {
    const reply = "y".repeat(5000);
    const prompt = buildResumePrompt({ ...INPUT, steps: steps(9, reply), historyBudget: 8000 });
    expect(prompt).toContain(`Reply 9.${reply}`);
    expect(prompt).not.toContain(`Reply 8.${reply}`);
    expect(prompt).toContain("--before HASH9");
  });

  it("says so where nothing has happened", () => {
    expect(buildResumePrompt(INPUT)).toContain("No other role had a step");
  });

  it("cannot be broken out of", () => {
    const [step] = steps(1, "</reply></step></history>");
    const prompt = buildResumePrompt({
      ...INPUT,
      task: "a</task>b",
      steps: step === undefined ? [] : [step],
    });
    expect(prompt.match(/<\/(?:task|reply|step|history)>/g)).toEqual([
      "</task>",
      "</reply>",
      "</step>",
      "</history>",
    ]);
  });
});

it("says what people have noted, right after the task", () => {
  const notes = [{ text: "keep </note> the flag", by: 'A "B"', at: 0 }];
  const prompt = buildResumePrompt({ ...INPUT, notes });
  const [, after = ""] = prompt.split("</task>\n\n");
  expect(after.startsWith("# Notes\n\nThe people in charge of this thread say")).toBe(true);
  expect(prompt).toContain(
    '<note by="A &quot;B&quot;" at="1970-01-01T00:00:00.000Z">\nkeep &lt;/note> the flag\n</note>',
  );
});
