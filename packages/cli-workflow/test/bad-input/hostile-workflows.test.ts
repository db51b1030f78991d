import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadChecks } from "@uncaged/workflow-moderator";
import { exitCodeOf, messageOf } from "@uncaged/workflow-protocol";
import { readWorkflowFile } from "@uncaged/workflow-store";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { anyJson, corpus, keyText, mutatedText, nastyText } from "../../../json-cas/test/support/nasty.js";
import { TURNS } from "../support/workflows.js";

const REAL = TURNS;
const fragment = fc.oneof(nastyText, fc.constantFrom(...corpus("yaml").filter((text) => text.length < 200)));

/** Line ends and marks as other systems write them. */
const dressed = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.constantFrom("", "bom", "crlf", "cr", "tabs", "latin1")).map(([plain, dress]) => {
    if (dress === "bom") return `\ufeff${plain}`;
    if (dress === "crlf") return plain.replaceAll("\n", "\r\n");
    if (dress === "cr") return plain.replaceAll("\n", "\r");
    return dress === "tabs" ? plain.replaceAll("  ", "\t") : plain;
  });

/** JSON is YAML: values of the right outline with anything in them. */
const outlined = fc
  .record(
    {
      name: fc.oneof(nastyText, fc.constant("turns")),
      description: anyJson,
      roles: fc.dictionary(keyText, anyJson, { maxKeys: 4 }),
      conditions: fc.dictionary(keyText, fc.record({ description: nastyText, expression: nastyText }), {
        maxKeys: 4,
      }),
      graph: fc.dictionary(
        keyText,
        fc.array(fc.record({ role: keyText, condition: fc.option(keyText) }), { maxLength: 4 }),
      ),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value));

const inputs: fc.Arbitrary<string> = dressed(
  fc.oneof(
    { weight: 6, arbitrary: mutatedText(REAL, fragment) },
    { weight: 2, arbitrary: outlined },
    { weight: 1, arbitrary: fc.array(fragment, { maxLength: 5 }).map((parts) => parts.join("")) },
  ),
);

const folder = mkdtempSync(join(tmpdir(), "uwf-hostile-"));
const file = join(folder, "turns.yaml");

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All that `uwf workflow put` reads and judges before it writes anything. */
async function judge(text: string): Promise<void> {
  writeFileSync(file, text);
  const read = await readWorkflowFile(file, (await loadChecks()).checkWorkflow);
  if (read.ok) {
    // These may become paths and arguments.
    expect(read.value.authored.name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    for (const role of Object.keys(read.value.authored.roles))
      expect(role).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
    return;
  }
  const { error } = read;
  expect(exitCodeOf(error), error.code).toBe(4);
  expect(messageOf(error)).not.toBe("");
  if (error.code !== "INVALID_WORKFLOW") return;
  expect(error.problems).not.toEqual([]);
  for (const { line, column, message } of error.problems) {
    expect(Math.min(line ?? 1, column ?? 1)).toBeGreaterThan(0);
    expect(message).not.toBe("");
  }
}

it("a workflow file of any content has names that fit, or is refused with places and sentences", async () => {
  await fc.assert(fc.asyncProperty(inputs, judge), { numRuns: 150 });
});

it("a text that costs much for its size is judged like any other", async () => {
  const bombs = fc.tuple(fc.constantFrom("", "\n", REAL), fc.constantFrom(...corpus("yaml")));
  await fc.assert(
    fc.asyncProperty(bombs, ([before, text]) => judge(before + text)),
    { numRuns: 8 },
  );
});
