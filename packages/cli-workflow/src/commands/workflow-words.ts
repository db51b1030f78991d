import {
  type CasRef,
  type RoleDefinition,
  START,
  type WorkflowHistoryItem,
  type WorkflowListItem,
  type WorkflowPayload,
  type WorkflowPutOutput,
} from "@uncaged/workflow-protocol";
import {
  ago,
  type Cell,
  left,
  lines,
  nextCommand,
  type Paint,
  paintOn,
  type Row,
  renderFields,
  renderTable,
  right,
  type Screen,
  shrinking,
} from "../human/index.js";

export function workflowTable(screen: Screen, items: readonly WorkflowListItem[]): string {
  if (items.length === 0)
    return "no workflows; `uwf workflow put <file.yaml>` registers one, `uwf init` writes one to begin with\n";
  const paint = paintOn(screen);
  const rows = items.map(
    ({ name, hash, origin }): Row => [
      { text: name, paint: paint.strong },
      hash ?? { text: "not stored", paint: paint.dim },
      origin,
    ],
  );
  return renderTable(screen, [shrinking("NAME"), left("HASH"), left("FROM")], rows);
}

/** What became of the names, and the first command with one of them. */
export function putWords(screen: Screen, put: readonly WorkflowPutOutput[]): string {
  const [first] = put;
  const said = lines(screen, put.map(changeWords));
  return first === undefined ? said : said + nextCommand(screen, startCommand(first.name));
}

export function namedWords(screen: Screen, output: WorkflowPutOutput): string {
  return lines(screen, [changeWords(output)]);
}

function changeWords({ name, hash, previous }: WorkflowPutOutput): string {
  if (hash === null) return `${name} is no longer a workflow; it was ${previous ?? "none"}`;
  if (previous === null) return `${name} is workflow ${hash}`;
  return hash === previous
    ? `${name} is still workflow ${hash}`
    : `${name} is now workflow ${hash}, before ${previous}`;
}

function startCommand(name: string): string {
  return `uwf thread start ${name} -p "<task>"`;
}

/** Newest first. */
export function historyTable(screen: Screen, items: readonly WorkflowHistoryItem[]): string {
  const paint = paintOn(screen);
  const rows = items.map(
    ({ hash, previous, current, at }): Row => [
      { text: current ? "→" : "", paint: paint.good },
      hash ?? { text: "removed", paint: paint.dim },
      previous ?? "",
      { text: at === null ? "?" : ago(at, screen.now), paint: paint.dim },
    ],
  );
  return renderTable(screen, [left(""), left("VERSION"), left("BEFORE"), right("SINCE")], rows);
}

/** The roles, and where each of them leads. */
export function workflowWords(
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
