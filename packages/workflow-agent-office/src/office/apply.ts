import { isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import type { AgentReply } from "@uncaged/workflow-agent-kit";
import {
  createDocument,
  type Document,
  type DocxFault,
  docxHint,
  docxMessage,
  editDocument,
  fillTemplate,
  outlineOf,
  saveDocument,
} from "@uncaged/workflow-docx";
import { asFault, type OpenFile, outlineText } from "../document.js";
import { OUTLINE_CHARACTERS, type Task, type Work } from "./options.js";
import { makeFolder, readSource, writeInto } from "./produce.js";

type Mode = "generate" | "edit";

/** What there is to work on. */
type Desk = {
  /** The document of the task; `null`: a new one is asked for. */
  readonly input: OpenFile | null;
  /** The newest one that this role has made; `null`: none yet. */
  readonly newest: OpenFile | null;
  /** What has come of the document of the task so far: `edit` as long as it is that document with edits. */
  readonly mode: Mode;
};

/**
 * Makes a document of what the last step has given: `blocks` (a new document), `data` (for the tags of the task's
 * document) or `edits` (of the newest document). What cannot be applied is a result too: `ok` is false. As the first step
 * of a thread it only looks at the document of the task.
 */
export async function apply(work: Work, task: Task): Promise<AgentReply> {
  const { steps } = work.context;
  const input = task.inputDocx === null ? null : readSource(work, task.inputDocx);
  if (input?.ok === false) return { kind: "failed", fault: asFault(input.error) };
  const desk = deskOf(work, input?.value ?? null);
  if ("kind" in desk) return desk;
  const last = steps.at(-1);
  if (last === undefined) return unmade(desk, null);
  const made = await madeOf(desk, instructionIn(last.output));
  return made.ok ? reply(work, desk, made) : unmade(desk, made.problem);
}

/** Of this role's earlier steps the last one with a document. */
function deskOf(work: Work, input: OpenFile | null): Desk | AgentReply {
  const { steps, role } = work.context;
  const earlier = steps.findLast(
    (step) => step.role === role && isObject(step.output) && typeof step.output.outputDocx === "string",
  );
  if (earlier === undefined || !isObject(earlier.output))
    return { input, newest: null, mode: input === null ? "generate" : "edit" };
  const { outputDocx, mode } = earlier.output;
  const newest = readSource(work, String(outputDocx));
  if (!newest.ok) return { kind: "failed", fault: asFault(newest.error) };
  return { input, newest: newest.value, mode: mode === "edit" ? "edit" : "generate" };
}

type Instruction = { readonly kind: "blocks" | "data" | "edits"; readonly value: JsonValue };

/** Exactly one; models like to give the others too, empty. */
function instructionIn(output: JsonValue): Instruction | string {
  const fields = isObject(output) ? output : {};
  const found = (["blocks", "data", "edits"] as const).flatMap((kind) => {
    const value = fields[kind] ?? null;
    return value === null || Object.keys(value).length === 0 ? [] : [{ kind, value }];
  });
  const [only, other] = found;
  if (only === undefined) return "the last step gives neither blocks nor data nor edits";
  return other === undefined
    ? only
    : `the last step gives both ${only.kind} and ${other.kind}; one is wanted`;
}

type MadeOf =
  | { readonly ok: true; readonly document: Document; readonly mode: Mode }
  | { readonly ok: false; readonly problem: string };

async function madeOf(desk: Desk, instruction: Instruction | string): Promise<MadeOf> {
  if (typeof instruction === "string") return { ok: false, problem: instruction };
  const { kind, value } = instruction;
  if (kind === "blocks") {
    const created = createDocument(value);
    return created.ok ? { ok: true, document: created.value, mode: "generate" } : refused([created.error]);
  }
  if (kind === "data") {
    if (desk.input === null)
      return { ok: false, problem: "data fill a template, and the task names no document: give blocks" };
    if (!isObject(value)) return { ok: false, problem: "data is an object with a value for each tag" };
    const filled = await fillTemplate(desk.input.document, value);
    return filled.ok ? { ok: true, document: filled.value, mode: "generate" } : refused([filled.error]);
  }
  const base = desk.newest ?? desk.input;
  if (base === null) return { ok: false, problem: "there is no document to edit yet: give blocks" };
  const edited = editDocument(base.document, value);
  return edited.ok ? { ok: true, document: edited.value, mode: desk.mode } : refused(edited.error);
}

/** A prompt repeats it. */
const MOST_SAID = 20;

function refused(faults: readonly DocxFault[]): MadeOf {
  const messages = faults.slice(0, MOST_SAID).map((fault) => `${docxMessage(fault)}; ${docxHint(fault)}`);
  const more = faults.length > messages.length ? [`and ${faults.length - messages.length} more`] : [];
  return { ok: false, problem: [...messages, ...more].join("\n") };
}

/** No document, and for the next instruction the parts that can be edited. */
function unmade({ newest, input, mode }: Desk, problem: string | null): AgentReply {
  const base = newest ?? input;
  const outline = base === null ? "" : outlineText(outlineOf(base.document), OUTLINE_CHARACTERS);
  return {
    kind: "output",
    value: { ok: problem === null, mode, sourceDocx: null, outputDocx: null, outline, problem },
  };
}

function reply(work: Work, { input }: Desk, { document, mode }: Extract<MadeOf, { ok: true }>): AgentReply {
  const folder = makeFolder(work);
  const outputDocx = writeInto(folder, "output.docx", saveDocument(document));
  const sourceDocx =
    mode === "edit" && input !== null ? writeInto(folder, "original.docx", input.bytes) : null;
  const outline = outlineText(outlineOf(document), OUTLINE_CHARACTERS);
  const value: JsonObject = { ok: true, mode, sourceDocx, outputDocx, outline, problem: null };
  return { kind: "output", value, session: { cwd: folder } };
}
