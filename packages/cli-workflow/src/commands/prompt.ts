import { argument } from "@uncaged/command-line";
import { computeHash, decode, encode, type JsonValue, META_SCHEMA_HASH } from "@uncaged/json-cas";
import {
  buildOutputFormatInstruction,
  buildRolePrompt,
  closedValues,
  hasUnlistedOrder,
} from "@uncaged/workflow-agent-kit";
import { authoredOf, type HashedWorkflow, resolveWorkflow } from "@uncaged/workflow-engine";
import { type CasRef, type Fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { authoredMeta, type Storage, TYPE } from "@uncaged/workflow-store";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import { defineRootCommand, PROMPT_OPTIONS, ROLE_OF_WORKFLOW, WORKFLOW } from "../line/index.js";
import { readGivenText, type TextKind } from "./given-text.js";
import { document, invalid, meantWords, text } from "./output.js";

const TASK: TextKind = {
  name: "the task",
  limit: LIMITS.prompt,
  missing: "",
  both: "give --prompt or --prompt-file, not both",
  usage: "see `uwf help prompt`",
};

const NO_TASK = "(the prompt of the thread)";

/**
 * What the agent of a role is asked as the first of a thread: of a thread with this task whose first role it is, to the
 * byte. Needs no thread, and stores nothing.
 */
export const command = defineRootCommand({
  path: "prompt",
  summary: "print the prompt for the agent of a role, without a thread",
  arguments: { workflow: argument(WORKFLOW), role: argument(ROLE_OF_WORKFLOW) },
  options: PROMPT_OPTIONS,
  examples: [
    "uwf prompt solve-issue reviewer",
    'uwf prompt ./solve-issue.yaml planner -p "Fix the login redirect"',
    "uwf prompt solve-issue planner --prompt-file task.md | wc -w",
  ],
  sample: {
    line: 'prompt solve-issue planner -p "Fix the login redirect"',
    prints: `# Deliverable format

Your final reply is Markdown that begins with a YAML header:
…`,
  },
  run: async (context, request, storage) => {
    const { host, warn, format, screen } = context;
    const isGiven = request.prompt !== null || request.promptFile !== null;
    const task = isGiven
      ? readGivenText(host, { text: request.prompt, file: request.promptFile }, TASK)
      : ok(NO_TASK);
    if (!task.ok) return task;
    const resolved = await resolveWorkflow({ storage, cwd: host.cwd, warn }, request.workflow);
    if (!resolved.ok) return resolved;
    const workflow = authoredOf(storage, resolved.value);
    if (!workflow.ok) return workflow;
    const asked = await buildPrompt(storage, workflow.value, request.role, task.value);
    if (!asked.ok) return asked;
    if (format !== null)
      return document({ workflow: request.workflow, role: request.role, prompt: asked.value });
    return text(screen === null ? asked.value : sanitizeTerminal(asked.value));
  },
});

async function buildPrompt(
  storage: Storage,
  { hash, authored }: HashedWorkflow,
  role: string,
  task: string,
): Promise<Result<string, Fault>> {
  const { name, roles } = authored;
  const definition = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (definition === undefined) {
    const known = Object.keys(roles);
    const reason = `workflow ${name} has no such role${meantWords(role, known)}`;
    return invalid(`role "${role}"`, reason, `its roles are ${known.join(", ")}`);
  }
  const meta = await shownMeta(storage, hash, role, definition.meta);
  // A reference in the example refers to what a thread has from its beginning.
  const nodes = [computeHash(TYPE.startNode, { workflow: hash, prompt: task }), hash, META_SCHEMA_HASH];
  return ok(
    buildRolePrompt({
      thread: "<thread>",
      workflow: name,
      role,
      definition,
      outputFormatInstruction: buildOutputFormatInstruction(meta, nodes, closedValues(authored, role, meta)),
      task,
      steps: [],
      historyBudget: null,
    }),
  );
}

/** As the agent of a thread finds it: the store orders keys, and what is asked follows their order. */
async function shownMeta(storage: Storage, hash: CasRef, role: string, meta: JsonValue): Promise<JsonValue> {
  const stored = decode(encode(meta));
  if (!hasUnlistedOrder(stored)) return stored;
  return (await authoredMeta(storage, hash, role, computeHash(META_SCHEMA_HASH, stored))) ?? stored;
}
