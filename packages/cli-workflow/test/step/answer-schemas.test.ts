import { outputExample } from "@uncaged/workflow-agent-kit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { schemas } from "../../../workflow-agent-kit/test/helpers/schemas.js";
import { fromFields, readAnswer, violationsOf } from "../../src/answer-read.js";
import { template } from "../../src/commands/thread/answer-edit.js";

const wrongIn = (meta: Parameters<typeof violationsOf>[0], read: ReturnType<typeof readAnswer>) =>
  read.ok ? violationsOf(meta, read.value.value, "Ada", 0) : read.error;

it("every role's meta for which there is an example can be answered as YAML, as JSON, in an editor and by fields", () => {
  let answered = 0;
  fc.assert(
    fc.property(schemas, (meta) => {
      const example = outputExample(meta);
      if (example === null) return;
      answered += 1;
      const yaml = readAnswer(example);
      expect(wrongIn(meta, yaml)).toEqual([]);
      const value = yaml.ok ? yaml.value.value : {};
      expect(wrongIn(meta, readAnswer(JSON.stringify(value)))).toEqual([]);
      const opened = template({ question: "Which?\n---\n# one", meta } as never, []);
      expect(wrongIn(meta, readAnswer(opened))).toEqual([]);
      const fields = Object.entries(value).map(
        ([name, member]) =>
          `${name}=${typeof member === "string" ? typed(meta, name, member) : JSON.stringify(member)}`,
      );
      const given = fromFields(fields, meta, { by: "ann", at: 0 });
      expect(given.ok && wrongIn(meta, given.value)).toEqual([]);
    }),
    { numRuns: 300 },
  );
  expect(answered).toBeGreaterThan(150);
});

/** A text as it is where the field is a text, else as JSON: a person would quote what reads like a number. */
function typed(meta: object, name: string, member: string): string {
  const properties = Object.entries("properties" in meta ? (meta.properties as object) : {});
  const schema: unknown = properties.find(([key]) => key === name)?.[1];
  const isText =
    typeof schema === "object" && schema !== null && "type" in schema && schema.type === "string";
  return isText ? member : JSON.stringify(member);
}
