import { isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import { configSchema, workflowSchema } from "@uncaged/workflow-store";
import { ENTRY, SCENARIO } from "@uncaged/workflow-util";
import { type Block, code, defineTopic, list, section } from "../line/index.js";

/** Every key of a document with its description, from the JSON Schema that is made of the gate's own table. */
export function keysOf(schema: JsonObject): Block {
  const items = new Map<string, string>();
  collect(schema, "", items);
  return list(...items);
}

function collect(schema: JsonValue | undefined, path: string, items: Map<string, string>): void {
  if (!isObject(schema)) return;
  const { description, properties, patternProperties, additionalProperties } = schema;
  if (path !== "" && typeof description === "string" && !items.has(`\`${path}\``))
    items.set(`\`${path}\``, description);
  for (const [key, below] of Object.entries(isObject(properties) ? properties : {}))
    collect(below, path === "" ? key : `${path}.${key}`, items);
  const named = isObject(patternProperties) ? Object.values(patternProperties) : [];
  for (const below of [...named, additionalProperties]) {
    const title = isObject(below) && typeof below.title === "string" ? below.title : "name";
    collect(below, `${path}.<${title}>`, items);
  }
  collect(schema.items, `${path}[]`, items);
  const branches = schema.anyOf ?? schema.oneOf;
  for (const branch of Array.isArray(branches) ? branches : []) collect(branch, path, items);
}

export const configuration = defineTopic("configuration", [
  section(
    "config.yaml",
    "In the storage root. `uwf setup` writes the first one, `uwf doctor` checks it. API keys belong in `.env` beside it or in the environment, never here.",
    code(`providers:
  openrouter:
    baseUrl: https://openrouter.ai/api/v1
    apiKeyEnv: OPENROUTER_API_KEY
models:
  sonnet: { provider: openrouter, name: anthropic/claude-sonnet-4 }
agents:
  claude: { command: uwf-claude, args: [--model, opus], retries: 2 }
defaultAgent: claude
defaultModel: sonnet
limits:
  default: { maxSteps: 200 }`),
  ),
  section("Keys", keysOf(configSchema())),
  section(
    "A project",
    "A repository may contain `.workflows/config.yaml` with `agentOverrides`, `limits` and `maxDepth`: which alias plays which role, and what a thread may spend. Commands, models and addresses belong only in your own config.yaml, which wins if both set a value.",
  ),
]);

export const workflows = defineTopic("workflows", [
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

export const scenarios = defineTopic("scenarios", [
  section(
    "A scenario",
    "A YAML file that says what each role replies at its first, second, … visit. The last entry repeats. `uwf-mock` is the agent that plays it:",
    code(`roles:
  writer:
    - reply: |
        ---
        note: A first try.
        ---
  reviewer:
    - reply: |
        ---
        approved: false
        comments: The second sentence is unclear.
        ---
    - reply: |
        ---
        approved: true
        comments: Clear.
        ---
expect: [writer, reviewer, writer, reviewer]`),
    code(`uwf thread step <thread> --agent "uwf-mock --scenario note.scenario.yaml"`),
    "`expect` lists the roles in the required order; another role is an error. Without the option, `UWF_MOCK_SCENARIO` names the file.",
  ),
  section(
    "Test a workflow",
    "`uwf workflow test` plays the scenarios beside a workflow, `<name>.scenario.yaml` and `<name>.*.scenario.yaml`, from its start to its end. It needs no agent, no model and no thread, and stores nothing. A reply is read, checked and routed as in a real step.",
    code(`uwf workflow test note.yaml
uwf workflow test note.yaml --update`),
    "A scenario also replies for a person or a child workflow: the reply is the role's output. A person's reply gets `answeredBy`, `answeredAt` and `timedOut`, if the role declares them and the reply does not set them.",
    "`--update` adds missing keys and changes no existing one: `expect`, `end: $FAIL`, and an example for each role that has no reply.",
  ),
  section("Keys of a scenario", keysIn(SCENARIO)),
  section("Keys of an entry", keysIn(ENTRY)),
]);

function keysIn(table: Readonly<Record<string, { readonly about: string }>>): Block {
  return list(...Object.entries(table).map(([key, { about }]) => [`\`${key}\``, about] as const));
}

export const storage = defineTopic("storage", [
  section(
    "The storage root",
    "`~/.uncaged/workflow`, or where `UNCAGED_WORKFLOW_STORAGE_ROOT` points. Everything in it is a plain file.",
    list(
      [
        "`cas/`",
        "every node: workflows, prompts, outputs, replies, tool calls. A file never changes; its name is the hash of its content",
      ],
      ["`threads.yaml`", "one line per active thread: its id and its head"],
      ["`history.jsonl`", "one line per ended thread, and how it ended"],
      ["`registry.yaml`", "names of workflows; `registry-history.jsonl` what they pointed to before"],
      ["`runs/<thread>/`", "the run under way, and what the thread waits for"],
      ["`config.yaml`, `.env`", "yours: providers, models, agents; API keys"],
      ["`logs/`", "what happened, a file per day; `uwf log` prints it"],
      ["`root.json`", "identifies this root; a copy gets another identity, and says so once"],
      ["`workspaces/`", "of a worker: folders for its threads"],
      ["`locks/`, `cache/`", "may be deleted while nothing runs"],
    ),
  ),
  section(
    "Keeping it",
    list(
      [
        "`uwf doctor`",
        "checks the root, the configuration, agents and locks, and prints a fix for every finding",
      ],
      ["`uwf cas verify`", "checks every node; `--repair` removes leftover files and rebuilds the index"],
      ["`uwf cas gc`", "lists unreachable nodes; `--yes` removes them"],
      [
        "`uwf cas export <thread> -o <file>`",
        "one file with the thread and all it reaches; `uwf cas import <file>` takes it into another root",
      ],
    ),
    "A copy of the folder is a backup, if nothing runs while it is made. A copy made meanwhile may lack the newest steps; `uwf cas verify` says so.",
  ),
  section(
    "Who may write to it",
    "Files in a root name the commands that uwf runs. A root of another user, or one that every user may write to, can be read, but uwf executes nothing that it names (exit 4), unless `UWF_TRUSTED_ROOTS` names it.",
    code("UWF_TRUSTED_ROOTS=/srv/uwf uwf thread step <thread>"),
  ),
]);
