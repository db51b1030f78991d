import { describe, expect, it } from "vitest";
import { blocksOf } from "../support/documents.js";
import { PAGE_EXITS } from "../support/pages.js";
import { type Sandbox, sandbox } from "../support/uwf.js";

const PARTS = ["cli", "author", "agent"] as const;

async function skill(box: Sandbox, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await box.uwf(["skill", ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** The commands that a text tells to type: in its fences, and between backticks. */
function commandsIn(text: string): readonly string[] {
  const fences = blocksOf(text).flatMap((block) => block.text.split("\n"));
  const words = [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word);
  return [...fences, ...words].filter((one) => one.startsWith("uwf "));
}

/** The words of a command line that name a command: `thread list` of `uwf thread list --all`. */
function pathOf(command: string): string {
  const [first = "", ...rest] = command.split(" ").slice(1);
  const paths = [[first, ...rest.slice(0, 2)], [first, rest[0] ?? ""], [first]].map((words) =>
    words.join(" "),
  );
  return paths.find((path) => Object.hasOwn(PAGE_EXITS, path)) ?? `unknown: ${command}`;
}

describe("uwf skill", () => {
  it("is one Markdown document with a header, of at most 300 lines and 3,000 words", async () => {
    const text = await skill(sandbox());
    expect(text).toMatch(/^---\nname: uwf\ndescription: ".+"\n---\n\n# uwf\n/);
    expect(text.split("\n").length).toBeLessThanOrEqual(300);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(3000);
  });

  it("is made of three parts, each of which can be had alone", async () => {
    const box = sandbox();
    const all = await skill(box);
    for (const part of PARTS) {
      const text = await skill(box, part);
      expect(text).toMatch(new RegExp(`^---\nname: uwf-${part}\n`));
      const [, body = ""] = text.split(/^(?=## )/m);
      expect(all).toContain(body.trim());
    }
    const unknown = await box.uwf(["skill", "cook"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("there is no part cook, there are cli, author, agent");
  });

  it("tells to type only commands that there are", async () => {
    const text = await skill(sandbox());
    const paths = commandsIn(text).map(pathOf);
    expect(paths.filter((path) => path.startsWith("unknown"))).toEqual([]);
    expect(paths.length).toBeGreaterThan(50);
    const other = commandsIn("`uwf thread fly` and\n```sh\nuwf run x\n```\n");
    expect(other.map(pathOf)).toEqual(["run", "unknown: uwf thread fly"]);
  });

  it("has a workflow and a scenario that pass `validate --strict` and `test`", async () => {
    const box = sandbox();
    const [workflow, scenario] = blocksOf(await skill(box, "author")).filter(
      ({ language }) => language === "yaml",
    );
    box.write("review-note.yaml", workflow?.text ?? "");
    box.write("review-note.scenario.yaml", scenario?.text ?? "");
    const valid = await box.json(["workflow", "validate", "review-note.yaml", "--strict"]);
    expect(valid).toMatchObject({ valid: true });
    const tested = await box.json(["workflow", "test", "review-note.yaml"]);
    expect(tested).toMatchObject({ passed: 1, failed: 0 });
  });
});
