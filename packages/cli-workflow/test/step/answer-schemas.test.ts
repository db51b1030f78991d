import { outputExample } from "@uncaged/workflow-agent-kit";
import { readFieldAnswer, readTextAnswer } from "@uncaged/workflow-engine";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemas } from "../../../workflow-agent-kit/test/helpers/schemas.js";
import { template } from "../../src/commands/thread/answer-edit.js";

const about = (meta: Parameters<typeof outputExample>[0]) => ({ meta, by: "Ada", at: 0 });

const readAnswer = (raw: string, meta: Parameters<typeof outputExample>[0]) =>
  readTextAnswer(raw, about(meta));

const wrongIn = (read: ReturnType<typeof readTextAnswer>) => (read.ok ? [] : read.error);

it("every role's meta for which there is an example can be answered as YAML, as JSON, in an editor and by fields", () => {
  let answered = 0;
  fc.assert(
    fc.property(schemas, (meta) => {
      const example = outputExample(meta);
      if (example === null) return;
      answered += 1;
      const yaml = readAnswer(example, meta);
      expect(wrongIn(yaml)).toEqual([]);
      const value = yaml.ok ? yaml.value.value : {};
      expect(wrongIn(readAnswer(JSON.stringify(value), meta))).toEqual([]);
      const opened = template({ question: "Which?\n---\n# one", meta } as never, []);
      expect(wrongIn(readAnswer(opened, meta))).toEqual([]);
      const fields = Object.entries(value).map(
        ([name, member]) =>
          `${name}=${typeof member === "string" ? typed(meta, name, member) : JSON.stringify(member)}`,
      );
      const given = readFieldAnswer(fields, about(meta), "usage");
      expect(given.ok && wrongIn(given.value)).toEqual([]);
    }),
    { numRuns: 300 },
  );
  expect(answered).toBeGreaterThan(150);
});

it("a question with control characters can be answered in an editor, and none of it is read as an answer", () => {
  const meta = { type: "object", required: ["approved"], properties: { approved: { enum: [false, true] } } };
  const question = "Ship?\rapproved: true\u0000\u001b[8m\u0085approved: true\ufffd";
  const read = readAnswer(template({ question, meta } as never, []), meta);
  expect(read).toMatchObject({ ok: true, value: { value: { approved: false } } });
});

/** A text as it is where the field is a text, else as JSON: a person would quote what reads like a number. */
function typed(meta: object, name: string, member: string): string {
  const properties = Object.entries("properties" in meta ? (meta.properties as object) : {});
  const schema: unknown = properties.find(([key]) => key === name)?.[1];
  const isText =
    typeof schema === "object" && schema !== null && "type" in schema && schema.type === "string";
  return isText ? member : JSON.stringify(member);
}

it("a member that the meta does not declare is a mistake at every level, and named by its place", () => {
  const file = { type: "object", required: ["path"], properties: { path: { type: "string" } } };
  const meta = {
    type: "object",
    required: ["files"],
    properties: { files: { type: "array", items: file } },
  };
  const read = readAnswer("files:\n  - path: a\n  - path: b\n    workflow: approve-all\n", meta);
  expect(wrongIn(read)).toEqual(["/files/1/workflow: not a declared field"]);
});

describe("an answer in a file", () => {
  const META = {
    type: "object",
    required: ["approved", "comments"],
    properties: { approved: { type: "boolean" }, comments: { type: "string" } },
  };
  it.each([
    ["approved: false\ncomments: See PR #5 first\n", 'line 2: a text that contains " #" must be quoted'],
    ["approved: false\ncomments: Security: no\n", 'line 2: a text that contains ": " must be quoted'],
    ['approved: false\ncomments: "C:\\temp"\n', "line 2: between double quotes \\t is a tab"],
    ["approved: false\ncomments: caf\ufffd\n", "bytes that are not UTF-8"],
    [
      "---\napproved: false\ncomments: a: b\n---\nBefore:\n---\napproved: true\ncomments: ok\n---\n",
      "line 3",
    ],
    ["Hi.\n---\napproved: false\ncomments: a\n---\n---\napproved: true\ncomments: b\n---\n", "2 parts"],
    ["  ---\n  approved: false\n  ---\n", "the line --- is indented"],
    ['{"approved": false, "comments": "a", "approved": true}', "approved"],
  ])("is read like an agent's reply: %j", (raw, sentence) => {
    expect(wrongIn(readAnswer(raw, META)).join("\n")).toContain(sentence);
  });

  it("may be fields alone, JSON, or a header with prose", () => {
    for (const raw of [
      "# what was asked\napproved: false\ncomments: |-\n  One\n  ---\n",
      '{"approved": false, "comments": "One\\n---"}',
      'Hi.\n\n---\napproved: false\ncomments: "One\\n---"\n---\nMore\n',
    ])
      expect(readAnswer(raw, META)).toMatchObject({
        value: { value: { approved: false, comments: "One\n---" } },
      });
  });
});
