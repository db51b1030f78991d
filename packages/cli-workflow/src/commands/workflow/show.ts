import { argument, flag } from "@uncaged/command-line";
import { assembleWorkflow, resolveWorkflow } from "@uncaged/workflow-engine";
import {
  type CasRef,
  type Fault,
  type Result,
  type RoleDefinition,
  START,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { readNode, readRegistryHistory, type Storage, storedWorkflow } from "@uncaged/workflow-store";
import { type CommandOutput, defineRootCommand, WORKFLOW } from "../../line/index.js";
import {
  ago,
  type Cell,
  left,
  type Paint,
  paintOn,
  type Row,
  renderFields,
  renderTable,
  type Screen,
  shrinking,
} from "../../screen/index.js";
import { document, misused, text } from "../output.js";

/** Given a file, it shows what `put` would store; `timestamp` is `null` as long as it is not stored. */
export const command = defineRootCommand({
  path: "workflow show",
  summary: "print a stored workflow",
  arguments: { workflow: argument(WORKFLOW) },
  options: { source: flag("print the YAML as it was put") },
  examples: [
    "uwf workflow show solve-issue",
    "uwf workflow show ./solve-issue.yaml --format yaml",
    "uwf workflow show solve-issue --source > solve-issue.yaml",
  ],
  sample: {
    line: "workflow show solve-issue",
    prints: `ROLE       PLAYED BY  DESCRIPTION
planner    an agent   Reads the issue and the code, and writes a plan that…
…`,
  },
  run: async (context, { workflow: name, source }, storage) => {
    const resolver = { storage, cwd: context.host.cwd, warn: context.warn };
    const resolved = await resolveWorkflow(resolver, name);
    if (!resolved.ok) return resolved;
    if (source) {
      return resolved.value.kind === "file"
        ? text(resolved.value.checked.text)
        : readSource(storage, resolved.value.hash);
    }
    const workflow =
      resolved.value.kind === "stored"
        ? resolved.value
        : { ...assembleWorkflow(resolved.value.checked.authored), timestamp: null };
    const { hash, payload, timestamp } = workflow;
    const known = timestamp ?? storage.cas.get(hash)?.timestamp ?? null;
    const shown = { hash, name: payload.name, ...storedWorkflow(payload), timestamp: known };
    return document(shown, (screen) => workflowWords(screen, hash, payload, known));
  },
});

/** The YAML as it was last put. */
function readSource(storage: Storage, hash: CasRef): Result<CommandOutput, Fault> {
  const lines = readRegistryHistory(storage);
  if (!lines.ok) return lines;
  const source = lines.value.findLast((line) => line.hash === hash && line.source !== null)?.source ?? null;
  if (source === null) {
    const reason = `the YAML of workflow ${hash} was not kept: it was not stored by \`uwf workflow put\` of this version`;
    return misused(reason, `\`uwf workflow show ${hash} --format yaml\` prints what is stored`);
  }
  const content = readNode(storage.cas, "content", source);
  return content.ok ? text(content.value.payload.text) : content;
}

/** The roles, and where each of them leads. */
function workflowWords(
  screen: Screen,
  hash: CasRef,
  { name, description, roles, graph, conditions }: WorkflowPayload,
  storedAt: number | null,
): string {
  const paint = paintOn(screen);
  const fields = renderFields(screen, [
    ["workflow", { text: name, paint: paint.strong }],
    ["hash", hash],
    ["stored", storedAt === null ? "not yet" : ago(storedAt, screen.now)],
    ["about", description],
  ]);
  const order = fromStart(graph);
  const roleRows = order.flatMap((role): readonly Row[] => {
    const definition = Object.hasOwn(roles, role) ? roles[role] : undefined;
    return definition === undefined ? [] : [[role, playerCell(definition, paint), definition.description]];
  });
  const transitionRows = order.flatMap((from) =>
    (graph[from] ?? []).map(({ role, condition }, at): Row => {
      const expression = condition === null ? "" : (conditions[condition]?.expression ?? "");
      return [at === 0 ? from : "", role, condition ?? "(always)", expression];
    }),
  );
  return [
    fields,
    renderTable(screen, [shrinking("ROLE"), left("PLAYED BY"), shrinking("DESCRIPTION")], roleRows),
    renderTable(
      screen,
      [shrinking("AFTER"), shrinking("COMES"), shrinking("IF"), shrinking("EXPRESSION")],
      transitionRows,
    ),
  ].join("\n");
}

/** The places of a graph as a thread comes to them, breadth first; then those that it never comes to. */
function fromStart(graph: WorkflowPayload["graph"]): readonly string[] {
  const order = new Set([START]);
  for (const place of order)
    for (const { role } of (Object.hasOwn(graph, place) ? graph[place] : null) ?? []) order.add(role);
  for (const place of Object.keys(graph)) order.add(place);
  return [...order].filter((place) => Object.hasOwn(graph, place));
}

function playerCell({ agent }: RoleDefinition, paint: Paint): Cell {
  if (agent === null) return "an agent";
  return { text: "human" in agent ? "a person" : `workflow ${agent.workflow.name}`, paint: paint.warn };
}
