import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Sandbox } from "../../../cli-workflow/test/support/uwf.js";
import { fileOf, heading, paragraph } from "./document.js";

const EXEC = resolve(import.meta.dirname, "../../../workflow-agent-exec/bin/uwf-exec");
const DIFFER = resolve(import.meta.dirname, "../../../workflow-agent-docx-diff/bin/uwf-docx-diff");

const WORKFLOW = `name: edit
description: A document is edited and compared.
roles:
  writer:
    description: Edits
    goal: Edit
    capabilities: []
    procedure: Edit.
    output: Both documents
    meta:
      type: object
      required: [sourceDocx, outputDocx]
      properties:
        sourceDocx: { type: string, format: cas_ref }
        outputDocx: { type: string, format: cas_ref }
  differ:
    description: Compares
    goal: Compare
    capabilities: []
    procedure: Compare.
    output: What differs
    meta:
      type: object
      required: [sourceDocx, modifiedDocx, diffDocx, equal]
      properties:
        sourceDocx: { type: string, format: cas_ref }
        modifiedDocx: { type: string, format: cas_ref }
        diffDocx: { type: string, format: cas_ref }
        equal: { type: boolean }
conditions: {}
graph:
  $START: [{ role: writer, condition: null }]
  writer: [{ role: differ, condition: null }]
  differ: [{ role: $END, condition: null }]
`;

export const OLD = fileOf(heading("Fruit") + paragraph("We have three apples."));
export const NEW = fileOf(heading("Fruit") + paragraph("We have four <b>apples</b>."));

/** A thread whose writer has edited a document and, with `differ`, whose differ has compared the two. */
export async function documentsThread(box: Sandbox, differ: boolean): Promise<string> {
  writeFileSync(join(box.cwd, "old.docx"), OLD);
  writeFileSync(join(box.cwd, "new.docx"), NEW);
  box.write("edit.yaml", WORKFLOW);
  const { thread } = await box.json<{ thread: string }>([
    "thread",
    "start",
    "./edit.yaml",
    "-p",
    "Four, please",
  ]);
  const files = "--artifact sourceDocx=old.docx --artifact outputDocx=new.docx";
  await box.json(["thread", "step", thread, "--agent", `'${EXEC}' ${files} -- true`]);
  if (differ) await box.json(["thread", "step", thread, "--agent", `'${DIFFER}'`]);
  return thread;
}
