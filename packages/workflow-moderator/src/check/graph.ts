import {
  type AuthoredWorkflow,
  END,
  FAIL,
  START,
  suggest,
  type Transition,
} from "@uncaged/workflow-protocol";
import { type Contexts, contextsOf, infer, lastAt, lazily, tokensOf } from "../infer/index.js";
import { parse } from "./expression.js";
import {
  type CausedProblem,
  error,
  type GraphProblem,
  onePerCause,
  pointer,
  refusal,
  warning,
} from "./problem.js";

/** Targets that are not roles. */
const ENDS: ReadonlySet<string> = new Set([END, FAIL]);

/** Undefined names, missing entries, transitions that are never taken. */
export function checkGraph(workflow: AuthoredWorkflow): readonly GraphProblem[] {
  const entries = Object.entries(workflow.graph);
  // Made of all roles: once, and not for each of them.
  const contexts = lazily(() => contextsOf(workflow));
  return [
    ...missingEntries(workflow),
    ...onePerCause(unknownRoles(workflow)),
    ...onePerCause(unknownConditions(workflow)),
    ...entries.flatMap(([key, transitions]) => [
      ...checkKey(key),
      ...checkOrder(workflow, key, transitions, contexts),
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

function checkKey(key: string): readonly GraphProblem[] {
  return ENDS.has(key)
    ? [error("invalid", pointer("graph", key), `${key} ends the thread, it has no transitions`)]
    : [];
}

/** In the order of the graph: the key of an entry, then its targets. */
function unknownRoles({ roles, graph }: AuthoredWorkflow): readonly CausedProblem[] {
  const targets = new Set([...ENDS, ...Object.keys(roles)]);
  const keys = new Set([START, ...targets]);
  return Object.entries(graph).flatMap(([key, transitions]) => [
    ...(keys.has(key) ? [] : [{ cause: key, problem: unknownKey(roles, graph, key) }]),
    ...transitions.flatMap(({ role }, index): readonly CausedProblem[] =>
      targets.has(role)
        ? []
        : [{ cause: role, problem: unknownTarget(graph, key, index, role, [...targets]) }],
    ),
  ]);
}

function unknownKey(
  roles: AuthoredWorkflow["roles"],
  graph: AuthoredWorkflow["graph"],
  key: string,
): GraphProblem {
  const meant = meantKey(roles, graph, key) ?? suggest(key, [START, ...Object.keys(roles)]);
  const message = `the graph has an entry for ${key}, which is not a role`;
  return error("unknown-role", pointer("graph", key), message, meant);
}

function unknownTarget(
  graph: AuthoredWorkflow["graph"],
  key: string,
  index: number,
  role: string,
  targets: readonly string[],
): GraphProblem {
  const path = pointer("graph", key, index, "role");
  if (role === START) {
    const first = graph[START]?.[0]?.role ?? null;
    return refusal("unknown-role", path, `${key} leads to ${START}, where a thread only begins`, first);
  }
  const meant = OTHER_ENDS.get(role.toLowerCase()) ?? suggest(role, targets);
  return refusal("unknown-role", path, `${key} leads to ${role}, which is not a role`, meant);
}

/** What other tools call the ends of a graph. */
const OTHER_ENDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ end: END, $end: END, __end__: END, done: END, finish: END, stop: END },
    ...{ fail: FAIL, $fail: FAIL, failed: FAIL, error: FAIL },
  }),
);

function unknownConditions({ conditions, graph }: AuthoredWorkflow): readonly CausedProblem[] {
  return Object.entries(graph).flatMap(([key, transitions]) =>
    transitions.flatMap(({ condition }, index): readonly CausedProblem[] => {
      if (condition === null || Object.hasOwn(conditions, condition)) return [];
      const path = pointer("graph", key, index, "condition");
      return [{ cause: condition, problem: unknownCondition(path, key, condition, conditions) }];
    }),
  );
}

/** The condition that a name or an expression in its place means; `null`: none is near. */
function meantCondition(conditions: AuthoredWorkflow["conditions"], name: string): string | null {
  const [same] = Object.entries(conditions).find(([, { expression }]) => expression === name) ?? [];
  return same ?? suggest(name, Object.keys(conditions));
}

function unknownCondition(
  path: string,
  key: string,
  name: string,
  conditions: AuthoredWorkflow["conditions"],
): GraphProblem {
  const near = meantCondition(conditions, name);
  if (near === null && meansAlways(name))
    return refusal(
      "unknown-condition",
      path,
      `${JSON.stringify(name)} is no condition; null always applies`,
      "null",
    );
  // Only an expression has characters that a name may not have.
  const help = /^[\p{L}\p{N}_ -]*$/u.test(name)
    ? ""
    : "; an expression belongs under conditions, with a name";
  return refusal(
    "unknown-condition",
    path,
    `${key} names the condition ${shown(name)}, which is not defined${help}`,
    near,
  );
}

/** What people write for a transition that is always taken. */
const ALWAYS: ReadonlySet<string> = new Set([
  "",
  ..."null ~ none true always default else otherwise".split(" "),
]);

function meansAlways(name: string): boolean {
  return ALWAYS.has(name.toLowerCase());
}

function shown(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const LONGEST = 40;

function checkOrder(
  workflow: AuthoredWorkflow,
  key: string,
  transitions: readonly Transition[],
  contexts: () => Contexts,
): readonly GraphProblem[] {
  const path = pointer("graph", key);
  if (ENDS.has(key)) return [];
  if (transitions.length === 0)
    return [error("missing-entry", path, `${key} has no transitions; end the thread with ${END}`)];
  const isFallback = ({ condition }: Transition): boolean =>
    condition === null || (meansAlways(condition) && !Object.hasOwn(workflow.conditions, condition));
  const fallback = transitions.findIndex(isFallback);
  if (fallback === -1) {
    const named = transitions.flatMap(({ condition }) => condition ?? []);
    if (isExhaustive(workflow, key, named, contexts)) return [];
    return [
      warning(
        "no-fallback",
        pointer("graph", key, transitions.length - 1),
        `the last transition of ${key} has a condition; without a fallback (condition: null) the thread can get stuck`,
      ),
    ];
  }
  const dead = transitions.slice(fallback + 1).map((_, i) => pointer("graph", key, fallback + 1 + i));
  const [first, ...others] = dead;
  if (first === undefined) return [];
  const message = `this transition of ${key} is never taken: it comes after the fallback`;
  const also = others.map((path) => ({ path, offset: null }));
  return [{ ...warning("never-true", first, message), also }];
}

/** If a transition misspells the condition, that transition is reported instead. */
function unusedConditions({ conditions, graph }: AuthoredWorkflow): readonly GraphProblem[] {
  const named = Object.values(graph).flatMap((all) => all.flatMap(({ condition }) => condition ?? []));
  const used = new Set(
    [...new Set(named)].map((name) =>
      Object.hasOwn(conditions, name) ? name : meantCondition(conditions, name),
    ),
  );
  return Object.keys(conditions)
    .filter((name) => !used.has(name))
    .map((name) =>
      warning("unused-condition", pointer("conditions", name), `no transition uses the condition ${name}`),
    );
}

type Edges = ReadonlyMap<string, readonly string[]>;

/** Roles that cannot be reached, and roles from which no end can be reached. */
export function checkReach(workflow: AuthoredWorkflow): readonly GraphProblem[] {
  const edges = edgesOf(workflow, "taken");
  if (!edges.has(START)) return [];
  const reached = reachable(edges, [START]);
  // After a role without transitions or an unknown role, the problem there is the cause.
  if ([...reached].some((key) => !ENDS.has(key) && (edges.get(key) ?? []).length === 0)) return [];
  const ending = reachable(reversed(edges), ENDS);
  // A role behind a transition that is never taken: that transition is the cause.
  const named = reachable(edgesOf(workflow, "all"), [START]);
  return [...unreachable(workflow, named), ...endless(workflow, reached, ending)];
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

/** The targets of each node, without transitions after a fallback or all. A misspelt name counts as the name it means. */
function edgesOf({ graph, roles }: AuthoredWorkflow, which: "taken" | "all"): Edges {
  const known = new Set([...ENDS, ...Object.keys(roles)]);
  // A transition to $START is a mistake, and it does not show which role its author meant.
  const meant = (role: string): string =>
    known.has(role) ? role : role === START ? NOWHERE : (suggest(role, [...known]) ?? role);
  return new Map(
    Object.entries(graph).map(([key, transitions]) => {
      const fallback = transitions.findIndex(({ condition }) => condition === null);
      const taken = fallback === -1 || which === "all" ? transitions : transitions.slice(0, fallback + 1);
      const from = meantKey(roles, graph, key) ?? key;
      return [from, ENDS.has(key) ? [] : taken.map(({ role }) => meant(role))];
    }),
  );
}

const NOWHERE = "";

function reversed(edges: Edges): Edges {
  const back = new Map<string, string[]>();
  for (const [from, targets] of edges) {
    for (const to of targets) {
      const sources = back.get(to) ?? [];
      sources.push(from);
      back.set(to, sources);
    }
  }
  return back;
}

export function reachable(edges: Edges, from: Iterable<string>): ReadonlySet<string> {
  const reached = new Set(from);
  // Iterating a set includes the elements added meanwhile.
  for (const node of reached) for (const next of edges.get(node) ?? []) reached.add(next);
  return reached;
}

/** Whether after `key` one of the conditions is always true: `x` and `$not(x)` over a required boolean. */
function isExhaustive(
  workflow: AuthoredWorkflow,
  key: string,
  names: readonly string[],
  contextsOfAll: () => Contexts,
): boolean {
  const expressions = names.flatMap((name) =>
    Object.hasOwn(workflow.conditions, name) ? (workflow.conditions[name]?.expression ?? []) : [],
  );
  if (expressions.length < Math.max(2, names.length)) return false;
  const contexts = contextsOfAll();
  const context = contexts.after(lastAt(workflow, key));
  const inferred = (text: string): ReturnType<typeof infer> | null => {
    const parsed = parse(text);
    return parsed.ok ? infer(text, parsed.value.ast, context, contexts.roles) : null;
  };
  const isTrue = (text: string): boolean => inferred(text)?.whole?.code === "always-true";
  if (isTrue(expressions.map((expression) => `(${expression})`).join(" or "))) return true;
  return expressions.some((a) =>
    expressions.some(
      (b) =>
        (isNegation(a, b) && inferred(a)?.isBoolean === true) ||
        oppositeOperands(a, b)?.every((operand) => isTrue(`$exists(${operand})`)) === true,
    ),
  );
}

function wordsOf(text: string): readonly string[] {
  return tokensOf(text).map((token) => token.text);
}

/** Whether `b` is `$not(a)`. */
function isNegation(a: string, b: string): boolean {
  return ["$not", "(", ...wordsOf(a), ")"].join(" ") === wordsOf(b).join(" ");
}

/** What two conditions compare with opposite operators. Where an operand is nothing, both are false. */
function oppositeOperands(a: string, b: string): readonly string[] | null {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  const differing = one.flatMap((text, i) => (text === other[i] ? [] : [i]));
  const [at = -1] = differing;
  const isPlain = one.every((text) => text !== "and" && text !== "or" && text !== "?");
  if (!isPlain || one.length !== other.length || differing.length !== 1) return null;
  if (OPPOSITE.get(one[at] ?? "") !== other[at]) return null;
  return [one.slice(0, at), one.slice(at + 1)].map((words) => words.join(" "));
}

const OPPOSITE: ReadonlyMap<string, string> = new Map(Object.entries({ "=": "!=", "<": ">=", ">": "<=" }));
