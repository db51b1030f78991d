import {
  END,
  FAIL,
  type RoleDefinition,
  type RolePlayer,
  START,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";

/** What is drawn of a workflow, stored or authored. */
export type GraphSource = Pick<WorkflowPayload, "name" | "description" | "conditions" | "graph"> & {
  readonly roles: Readonly<Record<string, Pick<RoleDefinition, "description" | "agent">>>;
};

/** The path that a thread has taken. */
export type Path = {
  /** The role of every step, oldest first. */
  readonly roles: readonly string[];
  /** How it ended by itself; `null`: it has not, or was killed. */
  readonly end: typeof END | typeof FAIL | null;
  /** Where it stands; `null` once it has ended by itself. */
  readonly at: GraphPoint | null;
};

/**
 * `next`: the next step runs this role. `waiting`: the same, but it would start nothing now. `stuck`: no decision leads
 * on from here. `killed`: it was killed after this role's step.
 */
export type GraphPoint = {
  readonly node: string;
  readonly state: "next" | "waiting" | "stuck" | "killed";
};

export type GraphNode = {
  /** A role, `$START`, `$END` or `$FAIL`. */
  readonly name: string;
  readonly kind: "start" | "role" | "end" | "fail";
  /** Of a role. */
  readonly description: string | null;
  /** Who plays the role, as the workflow says: `human`, `workflow develop`; `null`: it does not say. */
  readonly player: string | null;
  /** `false`: the thread has been here, or the graph names it, but the workflow has no such role. */
  readonly known: boolean;
  /** Steps of the thread; `null` without a thread. */
  readonly visits: number | null;
};

/** All transitions from one node to another. */
export type GraphEdge = {
  readonly from: string;
  readonly to: string;
  /** In the order in which they are tried; none: the thread went this way, but the graph has no such transition. */
  readonly transitions: readonly {
    /** Its place among the transitions of `from`, from 1. */
    readonly order: number;
    /** `null`: it always matches. */
    readonly condition: string | null;
    readonly description: string | null;
    readonly expression: string | null;
  }[];
  /** Leads back to an earlier node, or to the same. */
  readonly back: boolean;
  /** How often the thread went this way; `null` without a thread. */
  readonly taken: number | null;
};

export type GraphModel = {
  readonly name: string;
  readonly description: string;
  /** In the order of a reader: `$START` first, ends last. */
  readonly nodes: readonly GraphNode[];
  /** By `from` in the same order. */
  readonly edges: readonly GraphEdge[];
  readonly at: GraphPoint | null;
};

/** The graph of a workflow, and with `path` how often a thread was at each node and took each edge. */
export function graphOf(source: GraphSource, path: Path | null): GraphModel {
  const walked = path === null ? null : walkOf(path);
  const names = endsLast([...orderOf(source), ...(walked?.nodes.keys() ?? [])]);
  const position = new Map(names.map((name, at) => [name, at]));
  const placeOf = (name: string): number => position.get(name) ?? 0;
  const edges = [...edgesOf(source, walked), ...strayEdges(source, walked)].map((edge) => {
    const back = !isEnd(edge.to) && placeOf(edge.to) <= placeOf(edge.from);
    return { ...edge, back };
  });
  return {
    name: source.name,
    description: source.description,
    nodes: names.map((name) => nodeOf(source, name, walked)),
    // Sorting is stable: of one node they stay in the order of its transitions.
    edges: edges.sort((a, b) => placeOf(a.from) - placeOf(b.from)),
    at: path?.at ?? null,
  };
}

const ENDS: readonly string[] = [END, FAIL];

function isEnd(name: string): boolean {
  return ENDS.includes(name);
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
  const { description = null, agent = null } = role ?? {};
  return { name, kind: "role", description, player: playerOf(agent), known: role !== null, visits };
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
      ...{ from, to, transitions: list },
      taken: walked === null ? null : (walked.moves.get(from)?.get(to) ?? 0),
    }));
  });
}

/** Moves without a transition: the thread has run another version of the workflow. */
function strayEdges({ graph }: GraphSource, walked: Walked | null): readonly Edge[] {
  return [...(walked?.moves ?? [])].flatMap(([from, targets]) =>
    [...targets]
      .filter(([to]) => !(Object.hasOwn(graph, from) && graph[from]?.some(({ role }) => role === to)))
      .map(([to, taken]) => ({ from, to, transitions: [], taken })),
  );
}

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
  return [...[...all].filter((name) => !isEnd(name)), ...ENDS.filter((name) => all.has(name))];
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
