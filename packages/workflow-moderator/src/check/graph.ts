import { type AuthoredWorkflow, END, FAIL, START, type Transition } from "@uncaged/workflow-protocol";
import { suggest } from "../infer/index.js";
import { error, type GraphProblem, pointer, warning } from "./problem.js";

/** Targets that are not roles. */
const ENDS: ReadonlySet<string> = new Set([END, FAIL]);

/** Undefined names, missing entries, transitions that are never taken. */
export function checkGraph(workflow: AuthoredWorkflow): readonly GraphProblem[] {
  return [
    ...missingEntries(workflow),
    ...Object.entries(workflow.graph).flatMap(([key, transitions]) => [
      ...checkKey(workflow, key),
      ...checkOrder(key, transitions),
      ...transitions.flatMap((transition, i) => checkTransition(workflow, key, i, transition)),
    ]),
    ...unusedConditions(workflow),
  ];
}

/** A misspelt key is reported at that entry, not as a missing one. */
function missingEntries({ roles, graph }: AuthoredWorkflow): readonly GraphProblem[] {
  const meant = new Set(Object.keys(graph).map((key) => meantKey(roles, graph, key)));
  const start =
    Object.hasOwn(graph, START) || meant.has(START)
      ? []
      : [error("missing-entry", "/graph", `the graph has no entry for ${START}`)];
  const silent = Object.keys(roles).filter((role) => !Object.hasOwn(graph, role) && !meant.has(role));
  return [
    ...start,
    ...silent.map((role) =>
      error("missing-entry", pointer("roles", role), `the role ${role} has no entry in the graph`),
    ),
  ];
}

/** The role that a misspelt key means: one without an entry. */
function meantKey(
  roles: AuthoredWorkflow["roles"],
  graph: AuthoredWorkflow["graph"],
  key: string,
): string | null {
  if (key === START || ENDS.has(key) || Object.hasOwn(roles, key)) return null;
  return suggest(
    key,
    [START, ...Object.keys(roles)].filter((name) => !Object.hasOwn(graph, name)),
  );
}

function checkKey({ roles, graph }: AuthoredWorkflow, key: string): readonly GraphProblem[] {
  const path = pointer("graph", key);
  if (ENDS.has(key)) return [error("invalid", path, `${key} ends the thread, it has no transitions`)];
  if (key === START || Object.hasOwn(roles, key)) return [];
  return [
    error(
      "unknown-role",
      path,
      `the graph has an entry for ${key}, which is not a role`,
      meantKey(roles, graph, key) ?? suggest(key, [START, ...Object.keys(roles)]),
    ),
  ];
}

function checkOrder(key: string, transitions: readonly Transition[]): readonly GraphProblem[] {
  const path = pointer("graph", key);
  if (ENDS.has(key)) return [];
  if (transitions.length === 0)
    return [error("missing-entry", path, `${key} has no transitions; end the thread with ${END}`)];
  const fallback = transitions.findIndex(({ condition }) => condition === null);
  if (fallback === -1) {
    return [
      warning(
        "no-fallback",
        path,
        `the last transition of ${key} has a condition; without a fallback (condition: null) the thread can get stuck`,
      ),
    ];
  }
  return transitions
    .slice(fallback + 1)
    .map((_, i) =>
      warning(
        "never-true",
        pointer("graph", key, fallback + 1 + i),
        `this transition of ${key} is never taken: it comes after the fallback`,
      ),
    );
}

function checkTransition(
  { roles, conditions }: AuthoredWorkflow,
  key: string,
  index: number,
  { role, condition }: Transition,
): readonly GraphProblem[] {
  const problems: GraphProblem[] = [];
  if (!ENDS.has(role) && !Object.hasOwn(roles, role)) {
    const path = pointer("graph", key, index, "role");
    problems.push(
      error(
        "unknown-role",
        path,
        `${key} leads to ${role}, which is not a role`,
        suggest(role, [...ENDS, ...Object.keys(roles)]),
      ),
    );
  }
  if (condition !== null && !Object.hasOwn(conditions, condition)) {
    const path = pointer("graph", key, index, "condition");
    problems.push(
      error(
        "unknown-condition",
        path,
        `${key} names the condition ${condition}, which is not defined`,
        suggest(condition, Object.keys(conditions)),
      ),
    );
  }
  return problems;
}

/** If a transition misspells the condition, that transition is reported instead. */
function unusedConditions({ conditions, graph }: AuthoredWorkflow): readonly GraphProblem[] {
  const named = Object.values(graph).flatMap((all) => all.flatMap(({ condition }) => condition ?? []));
  const known = Object.keys(conditions);
  const used = new Set(named.map((name) => (known.includes(name) ? name : suggest(name, known))));
  return known
    .filter((name) => !used.has(name))
    .map((name) =>
      warning("unused-condition", pointer("conditions", name), `no transition uses the condition ${name}`),
    );
}

type Edges = ReadonlyMap<string, readonly string[]>;

/** Roles that cannot be reached, and roles from which no end can be reached. */
export function checkReach(workflow: AuthoredWorkflow): readonly GraphProblem[] {
  const edges = edgesOf(workflow);
  if (!edges.has(START)) return [];
  const reached = reachable(edges, [START]);
  // After a role without transitions or an unknown role, the problem there is the cause.
  if ([...reached].some((key) => !ENDS.has(key) && (edges.get(key) ?? []).length === 0)) return [];
  const ending = reachable(reversed(edges), ENDS);
  return [...unreachable(workflow, reached), ...endless(workflow, reached, ending)];
}

function unreachable({ roles }: AuthoredWorkflow, reached: ReadonlySet<string>): readonly GraphProblem[] {
  return Object.keys(roles)
    .filter((role) => !reached.has(role))
    .map((role) =>
      warning("unreachable-role", pointer("roles", role), `the role ${role} cannot be reached from ${START}`),
    );
}

/** If no thread can end: an error at $START. Else a warning at each role from which no end can be reached. */
function endless(
  { graph }: AuthoredWorkflow,
  reached: ReadonlySet<string>,
  ending: ReadonlySet<string>,
): readonly GraphProblem[] {
  if (!ending.has(START)) {
    return [
      error(
        "no-end",
        pointer("graph", START),
        `no path leads from ${START} to ${END} or ${FAIL}: no thread ever ends`,
      ),
    ];
  }
  return Object.keys(graph)
    .filter((key) => !ENDS.has(key) && reached.has(key) && !ending.has(key))
    .map((key) => warning("no-end", pointer("graph", key), `no path leads from ${key} to ${END} or ${FAIL}`));
}

/** The targets of each node, without transitions after a fallback. A misspelt name counts as the name it means. */
function edgesOf({ graph, roles }: AuthoredWorkflow): Edges {
  const known = [...ENDS, ...Object.keys(roles)];
  const meant = (role: string): string => (known.includes(role) ? role : (suggest(role, known) ?? role));
  return new Map(
    Object.entries(graph).map(([key, transitions]) => {
      const fallback = transitions.findIndex(({ condition }) => condition === null);
      const taken = fallback === -1 ? transitions : transitions.slice(0, fallback + 1);
      const from = meantKey(roles, graph, key) ?? key;
      return [from, ENDS.has(key) ? [] : taken.map(({ role }) => meant(role))];
    }),
  );
}

function reversed(edges: Edges): Edges {
  const back = new Map<string, string[]>();
  for (const [from, targets] of edges) {
    for (const to of targets) {
      const known = back.get(to);
      if (known === undefined) back.set(to, [from]);
      else known.push(from);
    }
  }
  return back;
}

function reachable(edges: Edges, from: Iterable<string>): ReadonlySet<string> {
  const reached = new Set(from);
  // Iterating a set includes the elements added meanwhile.
  for (const node of reached) for (const next of edges.get(node) ?? []) reached.add(next);
  return reached;
}
