import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadChecks } from "@uncaged/workflow-moderator";
import { type Fault, messageOf } from "@uncaged/workflow-protocol";
import { readWorkflowFile, type WorkflowFile } from "@uncaged/workflow-store";
import fc from "fast-check";
import { corpus } from "../corpus/index.js";
import { anyJson, keyText, mutatedText, nastyText } from "../texts/index.js";
import { batchOf } from "./batch.js";
import type { Subject } from "./types.js";

const REAL = readFileSync(join(import.meta.dirname, "../../world/turns.yaml"), "utf8");

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

/** Workflow files: everything that `uwf workflow put` reads and judges before it writes anything. */
export const workflowFiles: Subject = {
  name: "workflow files",
  sample: 150,
  batch: 1_000,
  weight: 3,
  open: async ({ folder, slowMs }) => batchOf(inputs, slowMs, await reader(folder)),
};

/** The expensive ones, each as it stands in the corpus and inside of a workflow. */
export const workflowBombs: Subject = {
  name: "workflow bombs",
  sample: 8,
  batch: 200,
  weight: 2,
  open: async ({ folder, slowMs }) => {
    const bomb = fc.constantFrom(...corpus("yaml"));
    const bombs = fc.tuple(bomb, fc.constantFrom("", "\n", REAL), fc.constantFrom("", "\nmore: x\n"));
    const joined = bombs.map(([text, before, after]) => `${before}${text}${after}`);
    return batchOf(joined, slowMs, await reader(folder));
  },
};

async function reader(folder: string): Promise<(text: string) => Promise<void>> {
  const { checkWorkflow } = await loadChecks();
  const file = join(folder, "turns.yaml");
  return async (text) => {
    writeFileSync(file, text);
    const read = await readWorkflowFile(file, checkWorkflow);
    const wrong = read.ok ? wrongIn(read.value) : wrongFault(read.error);
    if (wrong !== null) throw new Error(wrong);
  };
}

const WORKFLOW_CODES: ReadonlySet<string> = new Set(["INVALID_WORKFLOW", "INVALID_INPUT", "TOO_LARGE"]);

function wrongFault(fault: Fault): string | null {
  if (!WORKFLOW_CODES.has(fault.code)) return `it is refused as ${fault.code}: ${messageOf(fault)}`;
  if (messageOf(fault) === "") return `${fault.code} without a word`;
  if (fault.code !== "INVALID_WORKFLOW") return null;
  if (fault.problems.length === 0) return "INVALID_WORKFLOW without a problem";
  const odd = fault.problems.find(
    ({ line, column, message }) => !((line ?? 1) >= 1 && (column ?? 1) >= 1) || message === "",
  );
  return odd === undefined ? null : `a problem without a place or words: ${JSON.stringify(odd)}`;
}

/** What was let through has names that may become paths and arguments. */
function wrongIn({ authored }: WorkflowFile): string | null {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(authored.name))
    return `the name ${authored.name} was let through`;
  const role = Object.keys(authored.roles).find((name) => !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name));
  return role === undefined ? null : `the role ${role} was let through`;
}
