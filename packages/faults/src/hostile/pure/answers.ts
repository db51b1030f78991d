import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "@uncaged/cli-workflow";
import { isObject, type JsonObject, putSchema } from "@uncaged/json-cas";
import { outputExample } from "@uncaged/workflow-agent-kit";
import type { CasRef, ThreadId, WorkflowPayload } from "@uncaged/workflow-protocol";
import { addThread, openStorage, putStart, putWorkflow, readHeads } from "@uncaged/workflow-store";
import { parseFrontmatterMarkdown } from "@uncaged/workflow-util";
import fc from "fast-check";
import { schemas } from "../../../../workflow-agent-kit/test/helpers/schemas.js";
import { mannersOf } from "../manners.js";
import { corpus, mutatedText, nastyText } from "../texts.js";
import { batchOf, type Subject } from "./batch.js";
import { hostIn } from "./texts.js";

const THREAD = "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as ThreadId;

/** A role's meta, an answer that fits it, and one that somebody has spoilt. */
type Case = { readonly meta: JsonObject; readonly example: string; readonly spoilt: string };

const short = corpus("replies").filter((text) => text.length < 300);
const piece = fc.oneof(nastyText, fc.constantFrom("---\n", "\n", ": ", "- ", "yes", "null", ...short));

const cases: fc.Arbitrary<Case | null> = schemas.chain((meta) => {
  const example = outputExample(meta);
  if (example === null) return fc.constant(null);
  return mutatedText(example, piece).map((spoilt) => ({ meta, example, spoilt }));
});

/**
 * What people answer to roles of any shape: a right answer is taken as a file, in an editor and field by field; of any other
 * one nothing is stored, and it is said why.
 */
export const answers: Subject = {
  name: "answers",
  sample: 12,
  batch: 10,
  weight: 3,
  open: async ({ folder, slowMs }) =>
    batchOf(cases, slowMs, async (given) => {
      if (given !== null) await tryAnswers(folder, given);
    }),
};

async function tryAnswers(folder: string, { meta, example, spoilt }: Case): Promise<void> {
  const file = join(folder, "answer");
  const read = parseFrontmatterMarkdown(`---\n${example}---\n`);
  if (!read.ok) throw new Error(`the example is not readable: ${read.error.join("; ")}`);
  const fields = Object.entries(read.value.data).flatMap(([name, member]) => [
    "--field",
    `${name}=${typeof member === "string" ? typed(meta, name, member) : JSON.stringify(member)}`,
  ]);
  const ways = [["-f", file], ["-f", file], ["--edit"], ...(fields.length === 0 ? [] : [fields])];
  for (const [at, words] of ways.entries()) {
    writeFileSync(file, at === 0 ? spoilt : example);
    const { code, isEnded, stderr } = await answer(folder, meta, { words, file });
    if (isEnded !== (code === 0)) throw new Error(`${words}: exit ${code}, and the head says otherwise`);
    if (at > 0 && code !== 0) throw new Error(`${words} with ${example} is refused: ${stderr.slice(0, 600)}`);
    if (code !== 0 && code !== 4) throw new Error(`${words}: exit ${code}: ${stderr.slice(0, 600)}`);
  }
}

type Way = { readonly words: readonly string[]; readonly file: string };

/** A person's answer to a thread of its own, which ends with it. */
async function answer(folder: string, meta: JsonObject, { words, file }: Way) {
  const root = join(folder, "storage");
  rmSync(root, { recursive: true, force: true });
  const storage = openStorage(root, { now: Date.now });
  const head = await start(storage, meta);
  const added = await addThread(storage, THREAD, head);
  if (!added.ok) throw new Error(added.error.code);
  const said = { stdout: "", stderr: "" };
  const host = hostIn({ stdin: "", cwd: folder, root }, said);
  // The editor is a program that puts the answer in the place of the question.
  const env = { ...host.env, PATH: "/usr/bin:/bin", EDITOR: `cp '${file}'` };
  const args = ["thread", "answer", THREAD, ...words];
  const code = await main(args, { ...host, env, stdinIsTerminal: () => true });
  const wrong = mannersOf(args, { code, ...said });
  if (wrong.length > 0) throw new Error(`${words}: ${wrong.join("; ")}\n${said.stderr.slice(0, 600)}`);
  const heads = await readHeads(storage);
  return { code, isEnded: heads.ok && !heads.value.has(THREAD), stderr: said.stderr };
}

async function start(storage: ReturnType<typeof openStorage>, schema: JsonObject): Promise<CasRef> {
  const meta = await putSchema(storage.cas, schema);
  const agent = { human: { timeoutSeconds: null, default: null } };
  const texts = { description: "d", goal: "g", capabilities: [], procedure: "p", output: "o" };
  const payload: WorkflowPayload = {
    name: "gate",
    description: "d",
    roles: { checker: { ...texts, agent, meta } },
    conditions: {},
    graph: {
      $START: [{ role: "checker", condition: null }],
      checker: [{ role: "$END", condition: null }],
    },
  };
  const workflow = await putWorkflow(storage.cas, payload);
  return putStart(storage.cas, { workflow, prompt: "Ask" });
}

/** A text as it is where the field is a text, else as JSON: a person would quote what reads like a number. */
function typed(meta: JsonObject, name: string, member: string): string {
  const properties = isObject(meta.properties) ? Object.entries(meta.properties) : [];
  const schema = properties.find(([key]) => key === name)?.[1];
  return isObject(schema) && schema.type === "string" ? member : JSON.stringify(member);
}
