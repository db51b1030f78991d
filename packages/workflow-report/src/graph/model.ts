import { END, FAIL, type RolePlayer, START } from "@uncaged/workflow-protocol";
import type { GraphEdge, GraphModel, GraphNode, GraphSource, Path } from "./types.js";

/** The graph of a workflow, and with `path` how often a thread was at each node and took each edge. */
export function graphOf(source: GraphSource, path: Path | null): GraphModel {
  const walked = path === null ? null : walkOf(path);
  const names = endsLast([...orderOf(source), ...(walked?.nodes.keys() ?? [])]);
  const position = new Map(names.map((name, at) => [name, at]));
  const edges = [...edgesOf(source, walked), ...strayEdges(source, walked)].map((edge) => {
    const back = !isEnd(edge.to) && placeOf(position, edge.to) <= placeOf(position, edge.from);
    return { ...edge, back };
  });
  return {
    name: source.name,
    description: source.description,
    nodes: names.map((name) => nodeOf(source, name, walked)),
    // Sorting is stable: of one node they stay in the order of its transitions.
    edges: edges.sort((a, b) => placeOf(position, a.from) - placeOf(position, b.from)),
    at: path?.at ?? null,
  };
}

function isEnd(name: string): boolean {
  return name === END || name === FAIL;
}

function placeOf(position: ReadonlyMap<string, number>, name: string): number {
  return position.get(name) ?? 0;
}

type Walked = {
  /** Node → visits. */
  readonly nodes: ReadonlyMap<string, number>;
  /** From → to → how often. */
  readonly moves: ReadonlyMap<string, ReadonlyMap<string, number>>;
};

function walkOf({ roles, end }: Path): Walked {
  const places = [START, ...roles, ...(end === null ? [] : [end])];
  const nodes = new Map<string, number>();
  const moves = new Map<string, Map<string, number>>();
  for (const [at, place] of places.entries()) {
    nodes.set(place, (nodes.get(place) ?? 0) + 1);
    const next = places[at + 1];
    if (next === undefined) continue;
    const from = moves.get(place) ?? new Map<string, number>();
    moves.set(place, from.set(next, (from.get(next) ?? 0) + 1));
  }
  return { nodes, moves };
}

function nodeOf({ roles }: GraphSource, name: string, walked: Walked | null): GraphNode {
  const visits = walked === null ? null : (walked.nodes.get(name) ?? 0);
  if (name === START || isEnd(name)) {
    const kind = name === START ? "start" : name === END ? "end" : "fail";
    return { name, kind, description: null, player: null, known: true, visits };
  }
  const role = Object.hasOwn(roles, name) ? (roles[name] ?? null) : null;
  const player = role === null ? null : playerOf(role.agent);
  return {
    name,
    kind: "role",
    description: role?.description ?? null,
    player,
    known: role !== null,
    visits,
  };
}

function playerOf(agent: RolePlayer | null): string | null {
  if (agent === null) return null;
  if ("human" in agent) return "human";
  const { name, each } = agent.workflow;
  return each === null ? `workflow ${name}` : `workflow ${name} for each of ${each}`;
}

type Edge = Omit<GraphEdge, "back">;

/** The transitions of a node that lead to the same target are one edge. */
function edgesOf({ graph, conditions }: GraphSource, walked: Walked | null): readonly Edge[] {
  return Object.entries(graph).flatMap(([from, transitions]) => {
    const byTarget = new Map<string, Edge["transitions"]>();
    for (const [at, { role, condition }] of transitions.entries()) {
      const isDefined = condition !== null && Object.hasOwn(conditions, condition);
      const { description = null, expression = null } = (isDefined ? conditions[condition] : null) ?? {};
      const transition = { order: at + 1, condition, description, expression };
      byTarget.set(role, [...(byTarget.get(role) ?? []), transition]);
    }
    return [...byTarget].map(([to, list]) => ({
      from,
      to,
      transitions: list,
      taken: takenTransitions(walked, from, to),
    }));
  });
}

function takenTransitions(walked: Walked | null, from: string, to: string): number | null {
  return walked === null ? null : (walked.moves.get(from)?.get(to) ?? 0);
}

/** Moves without a transition: the thread has run another version of the workflow. */
function strayEdges({ graph }: GraphSource, walked: Walked | null): readonly Edge[] {
  return [...(walked?.moves ?? [])].flatMap(([from, targets]) =>
    [...targets]
      .filter(([to]) => !(Object.hasOwn(graph, from) && graph[from]?.some(({ role }) => role === to)))
      .map(([to, taken]) => ({ from, to, transitions: [], taken })),
  );
}

const ENDS: readonly string[] = [END, FAIL];

/**
 * The nodes as a reader follows them: from $START by the first transitions first, so that loops lead back and everything
 * else on; then roles that nothing leads to; the ends last. It depends on the order of transitions alone, since a stored
 * workflow has lost the order of its roles.
 */
function orderOf({ roles, graph }: GraphSource): readonly string[] {
  const targets = new Map(
    Object.entries(graph).map(([name, transitions]) => [name, transitions.map(({ role }) => role)]),
  );
  const reached = fromStart(targets);
  const named = [...Object.keys(roles), ...targets.keys(), ...[...targets.values()].flat()];
  return endsLast([...reached, ...named.sort()]);
}

/** Each once; $END before $FAIL. */
function endsLast(names: readonly string[]): readonly string[] {
  const all = new Set(names);
  return [...[...all].filter((name) => !ENDS.includes(name)), ...ENDS.filter((name) => all.has(name))];
}

type Visit = { readonly name: string; readonly rest: string[] };

/** Reverse postorder. The last transition is followed first, which puts the first one's target next to its source. */
function fromStart(targets: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const seen = new Set<string>([START]);
  const finished: string[] = [];
  const stack: Visit[] = [{ name: START, rest: [...(targets.get(START) ?? [])] }];
  for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
    const next = visit.rest.pop();
    if (next === undefined) {
      finished.push(visit.name);
      stack.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      stack.push({ name: next, rest: [...(targets.get(next) ?? [])] });
    }
  }
  return finished.reverse();
}
