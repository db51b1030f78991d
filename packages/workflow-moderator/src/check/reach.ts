import { type AuthoredWorkflow, END, FAIL, START } from "@uncaged/workflow-protocol";
import { suggest } from "../infer/index.js";
import { ENDS, meantKey } from "./graph.js";
import { error, pointer, warning } from "./problem.js";
import type { GraphProblem } from "./types.js";

type Edges = ReadonlyMap<string, readonly string[]>;

/** Roles that no thread gets to, and roles from which no thread gets to its end. */
export function checkReach(workflow: AuthoredWorkflow): readonly GraphProblem[] {
  const edges = edgesOf(workflow);
  if (!edges.has(START)) return [];
  const reached = reachable(edges, [START]);
  // Behind a role without transitions, and behind one that nobody knows, what is told there is the cause.
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

/** No thread ends: an error, at $START. Some do not: a warning at each role that they get stuck behind. */
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

/** Where each node can lead; transitions behind a fallback are never taken. A misspelt name leads where it is meant to. */
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
  // A set gives what is added while it is walked, too.
  for (const node of reached) for (const next of edges.get(node) ?? []) reached.add(next);
  return reached;
}
