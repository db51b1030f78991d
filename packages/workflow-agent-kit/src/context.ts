import { type JsonValue, META_SCHEMA_HASH } from "@uncaged/json-cas";
import type { CasRef, RoleDefinition } from "@uncaged/workflow-protocol";
import { once } from "@uncaged/workflow-util";
import type { AgentContext } from "./author.js";
import { closedValues, examplesOf, type VariantExample } from "./example/index.js";
import { loadResume } from "./load.js";
import { buildOutputFormatInstruction, buildRolePrompt, withinLimit } from "./prompt/index.js";
import type { OpenThread, Self } from "./thread.js";
import { allSteps, nodesBackwards, notesFor, promptSteps } from "./thread.js";

type ContextInput = {
  readonly open: OpenThread;
  readonly agent: Self;
  readonly role: string;
  readonly roleDefinition: RoleDefinition;
  readonly metaSchema: JsonValue;
  /** The same in the author's order, as far as it is known: for the prompt. */
  readonly shownMeta: JsonValue;
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly heartbeat: () => void;
  readonly report: AgentContext["report"];
  readonly putText: AgentContext["putText"];
};

type BuiltContext = {
  readonly context: AgentContext;
  /** Those of the prompt. */
  readonly examples: () => readonly VariantExample[];
  /** The prompt, if the agent looked at it; "" otherwise. */
  readonly promptSeen: () => string;
};

/** What the author's code gets. A program that needs neither history nor prompt never pays for them. */
export function buildContext(input: ContextInput): BuiltContext {
  const { open, agent, role, roleDefinition, metaSchema, shownMeta } = input;
  const steps = once(() => allSteps(open));
  const shown = once(() => closedValues(open.workflow.payload, role, shownMeta));
  const examples = once(() => examplesOf(shownMeta, nodesThere(open), shown()));
  const format = once(() => buildOutputFormatInstruction(shownMeta, nodesThere(open), shown()));
  const prompt = once(() => promptOf(input, format()));
  const context: AgentContext = {
    start: open.start.payload,
    get steps() {
      return steps();
    },
    threadId: open.thread,
    head: open.head,
    role,
    roleDefinition,
    metaSchema,
    workflow: open.workflow.payload,
    store: open.storage.cas,
    storageRoot: open.storage.root,
    putText: input.putText,
    get outputFormatInstruction() {
      return format();
    },
    get prompt() {
      return prompt();
    },
    args: input.args,
    env: open.env,
    sessionUsage: async (sessionId) => (await loadResume()).sessionUsage(open, { agent, role, sessionId }),
    signal: input.signal,
    report: input.report,
    heartbeat: input.heartbeat,
  };
  return { context, examples, promptSeen: () => (prompt.made() ? prompt() : "") };
}

/** Nodes for the references in an example: an agent that copies one refers to the task. */
function nodesThere({ start, workflow }: OpenThread): readonly CasRef[] {
  return [start.hash, workflow.hash, META_SCHEMA_HASH];
}

/** The prompt within its limit. Throws `FaultError`. */
function promptOf({ open, role, roleDefinition }: ContextInput, outputFormatInstruction: string): string {
  const prompt = buildRolePrompt({
    thread: open.thread,
    workflow: open.workflow.payload.name,
    role,
    definition: roleDefinition,
    outputFormatInstruction,
    task: open.start.payload.prompt,
    notes: notesFor(open),
    steps: promptSteps(open, nodesBackwards(open)),
    historyBudget: null,
  });
  return withinLimit(prompt);
}
