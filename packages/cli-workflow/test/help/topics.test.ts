import { describe, expect, it } from "vitest";
import { asMan, asMarkdown, asText } from "../../src/help/renderings.js";
import { TOPICS } from "../../src/help/topics.js";
import { section, type Topic } from "../../src/line/topics.js";
import { sandbox } from "../support/uwf.js";

const plain = (width: number) => ({ width, colour: false, now: 0 });

const SAMPLE: Topic = {
  name: "sample",
  summary: "a page for this test",
  sections: [
    section(
      "First",
      "Some words about `uwf help`.",
      { kind: "code", text: "a: 1\n.b: '\\n'" },
      {
        kind: "list",
        items: [
          ["short", "beside it"],
          ["a term that is too long", "stands above its text"],
        ],
      },
    ),
  ],
};

describe("uwf help <topic>", () => {
  it("is listed with its summary by `uwf help help`", async () => {
    const page = (await sandbox().uwf(["help", "help"])).stdout;
    for (const { name, summary } of TOPICS) expect(page).toContain(`  ${name.padEnd(14)}${summary}\n`);
  });

  it.each(TOPICS.map(({ name }) => name))("%s: is printed as text, also into a pipe", async (name) => {
    const { code, stdout, stderr } = await sandbox().uwf(["help", name]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^${name}: `));
  });

  it.each(TOPICS.map((topic) => [topic.name, topic] as const))("%s: fits 80 columns", (_, topic) => {
    const long = asText(topic, plain(80))
      .split("\n")
      .filter((line) => line.length > 80);
    expect(long).toEqual([]);
  });

  it("suggests one for a topic or a command that is mistyped, and exits with 2", async () => {
    const { code, stderr } = await sandbox().uwf(["help", "conditons"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`unknown help topic 'conditons', did you mean "conditions"?`);
    const command = await sandbox().uwf(["help", "thread", "lst"]);
    expect(command.stderr).toContain(`unknown help topic 'thread lst', did you mean "list"?`);
    const nothing = await sandbox().uwf(["help", "xyzzy"]);
    expect(nothing.stderr).toContain("unknown help topic 'xyzzy'\n");
  });
});

describe("a topic", () => {
  it("as text has its titles, code further in, and a short term beside its text", () => {
    expect(asText(SAMPLE, plain(40))).toBe(
      `sample: a page for this test

First

  Some words about uwf help.

    a: 1
    .b: '\\n'

  short         beside it
  a term that is too long
      stands above its text
`.replace("uwf help.", "uwf help."),
    );
  });

  it("as text has colour only where the screen has", () => {
    const bold = "\u001b[1m";
    expect(asText(SAMPLE, { ...plain(40), colour: true })).toContain(`${bold}First`);
    expect(asText(SAMPLE, plain(40))).not.toContain("\u001b");
  });

  it("as Markdown keeps backticks and fences code", () => {
    expect(asMarkdown(SAMPLE)).toContain(
      "### First\n\nSome words about `uwf help`.\n\n```\na: 1\n.b: '\\n'\n```\n\n- **short**: beside it",
    );
  });

  it("as a man page escapes what troff would take for a request", () => {
    const man = asMan(SAMPLE, "1.2.3");
    expect(man).toContain('.TH UWF\\-SAMPLE 7 "" "uwf 1.2.3" "uwf manual"\n');
    expect(man).toContain("Some words about \\fBuwf help\\fR.\n");
    expect(man).toContain("\\&.b: '\\en'\n");
  });
});
