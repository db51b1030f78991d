import { type AuthoredWorkflow, END, FAIL, START } from "@uncaged/workflow-protocol";
import { pointer, warning } from "./problem.js";
import type { GraphProblem } from "./types.js";

type Edges = ReadonlyMap<string, readonly string[]>;

/** Roles that no thread gets to, and roles from which no thread gets to its end. */
export function checkReach(workflow: AuthoredWorkflow): readonly GraphProblem[] {
  if (!Object.hasOwn(workflow.graph, START)) return [];
  const edges = edgesOf(workflow);
  const reached = reachable(edges, [START]);
  const ending = reachable(reversed(edges), [END, FAIL]);
  return [...unreachable(workflow, reached), ...endless(workflow, reached, ending)];
}

function unreachable({ roles }: AuthoredWorkflow, reached: ReadonlySet<string>): readonly GraphProblem[] {
  return Object.keys(roles)
    .filter((role) => !reached.has(role))
    .map((role) => warning(pointer("roles", role), `the role ${role} cannot be reached from ${START}`));
}

/** Told once, at $START, when no thread can end at all. */
function endless(
  { graph }: AuthoredWorkflow,
  reached: ReadonlySet<string>,
  ending: ReadonlySet<string>,
): readonly GraphProblem[] {
  const keys = ending.has(START)
    ? Object.keys(graph).filter((key) => key !== END && key !== FAIL && reached.has(key))
    : [START];
  return keys
    .filter((key) => !ending.has(key))
    .map((key) => warning(pointer("graph", key), `no path leads from ${key} to ${END} or ${FAIL}`));
}

/** Where each node can lead; transitions behind a fallback are never taken. */
function edgesOf({ graph }: AuthoredWorkflow): Edges {
  return new Map(
    Object.entries(graph).map(([key, transitions]) => {
      const fallback = transitions.findIndex(({ condition }) => condition === null);
      const taken = fallback === -1 ? transitions : transitions.slice(0, fallback + 1);
      return [key, key === END || key === FAIL ? [] : taken.map(({ role }) => role)];
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

function reachable(edges: Edges, from: readonly string[]): ReadonlySet<string> {
  const reached = new Set(from);
  // A set gives what is added while it is walked, too.
  for (const node of reached) for (const next of edges.get(node) ?? []) reached.add(next);
  return reached;
}
