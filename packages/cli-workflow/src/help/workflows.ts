import { workflowSchema } from "@uncaged/workflow-store";
import { keysOf } from "./keys.js";
import { code, defineTopic, section } from "./types.js";

export const topic = defineTopic("workflows", [
  section(
    "A workflow",
    "A YAML file: roles, conditions, and a graph that leads from role to role. `uwf init` writes one to begin with.",
    code(`name: review-note
description: Writes a note and has it reviewed
roles:
  writer:
    description: Writes the note
    goal: A note of one paragraph on the task
    capabilities: [writing]
    procedure: Read the task, write one clear paragraph.
    output: The note in the field \`note\`.
    meta:
      type: object
      required: [note]
      properties:
        note: { type: string }
  reviewer:
    description: Accepts or rejects the note
    goal: Only a clear note gets through
    capabilities: [reviewing]
    procedure: Read the note. Reject it when a sentence is unclear.
    output: The verdict in \`approved\`, the reason in \`comments\`.
    meta:
      type: object
      required: [approved, comments]
      properties:
        approved: { type: boolean }
        comments: { type: string }
conditions:
  rejected:
    description: The reviewer sent it back
    expression: steps[-1].output.approved = false
graph:
  $START:
    - { role: writer, condition: null }
  writer:
    - { role: reviewer, condition: null }
  reviewer:
    - { role: writer, condition: rejected }
    - { role: $END, condition: null }`),
  ),
  section("Keys", keysOf(workflowSchema())),
  section(
    "From file to thread",
    "`uwf workflow validate <file>` checks it, `uwf workflow test <file>` plays its scenarios, `uwf workflow graph <file>` draws it, `uwf workflow put <file>` stores it under its name. A thread keeps the version with which it was started.",
    "`<workflow>` on a command line is a path (it contains `/` or ends in `.yaml`), a hash, a name in `.workflows/` of this project, or a registered name, in this order.",
  ),
]);
