import { type AuthoredWorkflow, isObject, START } from "@uncaged/workflow-protocol";
import {
  type Contexts,
  contextsOf,
  type Found,
  type Inferred,
  infer,
  isDeep,
  type Last,
  lastAt,
  placesOf,
} from "../infer/index.js";
import { checkMade, conflictsIn } from "./child-output.js";
import { comparesSeveralSteps, reliesOnKeyOrder } from "./doubts.js";
import {
  checkExpression,
  checkReads,
  halfChoices,
  keysOf,
  type ParsedCondition,
  parse,
} from "./expression.js";
import {
  type CausedProblem,
  type ExpressionProblem,
  error,
  type GraphProblem,
  onePerCause,
  pointer,
  problemAt,
} from "./problem.js";
import { declaredFields } from "./schema.js";

/** Checks the conditions: first for certain mistakes, and only if there are none for likely ones. */
export function checkConditions(workflow: AuthoredWorkflow): readonly GraphProblem[] {
  const contexts = contextsOf(workflow);
  const fields = Object.values(workflow.roles).flatMap(({ meta }) => declaredFields(meta));
  const found = Object.entries(workflow.conditions).flatMap(([name, { expression }]) => {
    const parsed = parse(expression);
    const ast = parsed.ok ? parsed.value.ast : null;
    const problems = withoutRepeats([
      ...checkExpression(expression, parsed, fields).filter((problem) => !indexesList(workflow, problem)),
      ...(ast === null ? [] : halfChoices({ text: expression, ast })),
      ...(ast === null ? [] : reliesOnKeyOrder(expression, ast)),
      ...(ast === null ? [] : comparesSeveralSteps(workflow, { text: expression, ast })),
      ...(ast === null ? [] : checkOutcome(workflow, contexts, name, { text: expression, ast })),
    ]);
    const path = pointer("conditions", name, "expression");
    const messages = problems.map(
      (problem): CausedProblem => ({
        cause: ABOUT_NAMES.has(problem.code) ? problem.message : null,
        problem: { ...problem, path, also: [], message: `the condition ${name}: ${problem.message}` },
      }),
    );
    const wrong = messages.some(({ problem }) => problem.severity === "error");
    const whole = messages.some(({ problem: { code } }) => code === "never-true" || code === "always-true");
    if (wrong || whole || ast === null || isDeep(ast)) return messages;
    const unknown = problems.flatMap(({ code, offset }) => (code === "unknown-field" ? [offset] : []));
    const reads = checkReads(workflow, name, { text: expression, ast }, unknown);
    return [...messages, ...reads.map((problem): CausedProblem => ({ cause: null, problem }))];
  });
  return onePerCause(found);
}

/** Fields of a role that threads play, and that are uwf's to fill. */
export function checkFacts({ roles }: AuthoredWorkflow): readonly GraphProblem[] {
  return Object.entries(roles).flatMap(([role, { agent, meta }]) =>
    agent === null || !("workflow" in agent)
      ? []
      : conflictsIn(meta, agent.workflow.each !== null).map((message) =>
          error("invalid-schema", pointer("roles", role, "meta"), `the meta of ${role}: ${message}`),
        ),
  );
}

/** What makes a child's output, against the meta of the role that it plays. */
export function checkOutputs({ roles }: AuthoredWorkflow): readonly GraphProblem[] {
  return Object.entries(roles).flatMap(([role, { agent, meta }]) => {
    if (agent === null || !("workflow" in agent) || agent.workflow.output === null) return [];
    const { output, each } = agent.workflow;
    const path = pointer("roles", role, "agent", "output");
    const parsed = parse(output);
    const found = checkExpression(output, parsed).filter(({ severity }) => severity === "error");
    const made =
      found.length === 0 && parsed.ok
        ? checkMade({ ast: parsed.value.ast, places: placesOf(output) }, meta, each !== null)
        : [];
    return [...found, ...made].map(
      (problem): GraphProblem => ({
        ...problem,
        path,
        offset: problem.offset ?? "value",
        message: `the output of ${role}: ${problem.message}`,
        also: [],
      }),
    );
  });
}

/** What is unknown is so in every condition that names it. */
const ABOUT_NAMES: ReadonlySet<string> = new Set([
  "unknown-field",
  "unknown-role",
  "unknown-value",
  "unknown-function",
  "unknown-variable",
]);

/** `steps.output.files[-1]` is the last file of each step, if `files` is a list. */
function indexesList({ roles }: AuthoredWorkflow, { code, suggestion }: ExpressionProblem): boolean {
  const [, field = ""] =
    /\.output\..*?([^.]+)$/.exec(code === "misplaced-index" ? (suggestion ?? "") : "") ?? [];
  return Object.values(roles).some(({ meta: { properties } }) => {
    const schema = isObject(properties) && Object.hasOwn(properties, field) ? properties[field] : undefined;
    return isObject(schema) && schema.type !== undefined && [schema.type].flat().includes("array");
  });
}

/** Of two problems at one place the first is the cause. */
function withoutRepeats(problems: readonly ExpressionProblem[]): readonly ExpressionProblem[] {
  const errors = problems.filter(({ severity }) => severity === "error");
  const seen = new Set(errors.map(({ offset }) => offset).filter((offset) => offset !== null));
  const first = new Map(errors.toReversed().map((problem) => [problem.offset, problem]));
  return problems.filter((problem) =>
    problem.severity === "error"
      ? problem.offset === null || first.get(problem.offset) === problem
      : problem.offset === null || !seen.has(problem.offset),
  );
}

type Use = { readonly last: Last; readonly inferred: Inferred };

function checkOutcome(
  workflow: AuthoredWorkflow,
  contexts: Contexts,
  name: string,
  { text, ast }: ParsedCondition,
): readonly ExpressionProblem[] {
  const lasts = usesOf(workflow, name);
  const usesIn = (after: Contexts["after"]): readonly Use[] =>
    lasts.map((last) => ({ last, inferred: infer(text, ast, after(last), contexts.roles) }));
  const uses = usesIn(contexts.after);
  const parts = checkParts(uses, ASKS.test(text));
  if (parts.some(({ severity }) => severity === "error")) return parts;
  const whole = checkWhole(uses);
  if (contexts.ofDeclared === null || whole.length > 0) return [...parts, ...whole];
  const doubts = checkParts(usesIn(contexts.ofDeclared), false);
  return [...parts, ...doubts.filter(({ code }) => ABOUT_VALUES.has(code)).map(asWarning)];
}

/** What is wrong wherever a field is declared is likely wrong where any field may be. */
const ABOUT_VALUES: ReadonlySet<string> = new Set(["cannot-be-equal", "unknown-value", "wrong-type"]);

function asWarning(problem: ExpressionProblem): ExpressionProblem {
  return { ...problem, severity: "warning" };
}

/** The steps after which the condition is evaluated; an unused condition may come after any. */
function usesOf(workflow: AuthoredWorkflow, name: string): readonly Last[] {
  const keys = keysOf(workflow, name);
  return keys.length === 0 ? [{ kind: "any" }] : keys.map((key) => lastAt(workflow, key));
}

/** An author who tests for existence knows that a field may be missing. */
const ASKS = /\$exists\s*\(|\?\?|\?:/;

/**
 * Reports a place that is wrong after every role that uses the condition. A place that is wrong only after some roles is
 * reported if it reads a missing field there and the condition can then never be true; otherwise the condition may
 * distinguish the roles itself.
 */
function checkParts(uses: readonly Use[], asks: boolean): readonly ExpressionProblem[] {
  const keys = new Set(uses.flatMap(({ inferred }) => [...inferred.notes.keys()]));
  const problems = [...keys].flatMap((key): readonly ExpressionProblem[] => {
    const looked = uses.filter(({ inferred }) => inferred.notes.has(key));
    const bad = looked.filter(({ inferred }) => isPart(inferred.notes.get(key)));
    const [first] = bad;
    const found = first?.inferred.notes.get(key);
    if (first === undefined || found === undefined || found === null) return [];
    if (bad.length === looked.length) {
      const doubt = bad
        .map(({ inferred }) => inferred.notes.get(key))
        .find((note) => note?.about === "doubt");
      return [doubt === undefined || doubt === null ? errorOf(found) : asWarning(errorOf(doubt))];
    }
    const stuck = bad.find(({ inferred }) => !inferred.canBeTrue);
    if (found.about === "doubt" || found.code !== "unknown-field" || stuck === undefined || asks) return [];
    const there = stuck.inferred.notes.get(key) ?? found;
    return [errorOf(there)];
  });
  return problems.toSorted((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
}

function isPart(found: Found | null | undefined): boolean {
  return found?.about === "part" || found?.about === "doubt";
}

/** The outcome of the whole condition: reported if no part explains it. */
function checkWhole(uses: readonly Use[]): readonly ExpressionProblem[] {
  const constant = uses.flatMap(({ last, inferred }) =>
    inferred.whole === null ? [] : [{ last, whole: explained(inferred, inferred.whole) }],
  );
  const [first] = constant;
  if (first === undefined) return [];
  const codes = new Set(constant.map(({ whole }) => whole.code));
  if (constant.length === uses.length && codes.size === 1) {
    const likely = constant.some(({ whole }) => whole.likely);
    const { likely: _, ...found } = first.whole;
    const where = uses.length > 1 ? "" : afterOf(first.last);
    const message = `${found.message}${where}${alwaysOf(found)}`;
    const problem = errorOf({ ...found, message });
    return [{ ...problem, severity: likely ? "warning" : "error" }];
  }
  return constant.map(({ last, whole: { likely: _, ...whole } }) => ({
    ...errorOf({ ...whole, message: `${whole.message}${afterOf(last)}` }),
    severity: "warning",
  }));
}

/** A part that is never true is more specific than the whole. */
function explained(inferred: Inferred, whole: NonNullable<Inferred["whole"]>): typeof whole {
  const parts = [...inferred.notes.values()].filter((found) => found !== null);
  const codes = whole.code === "always-true" ? ["always-true"] : [whole.code, "never-true"];
  const cause = parts.find(({ code }) => codes.includes(code));
  return cause === undefined ? whole : { ...cause, likely: whole.likely };
}

/** In a graph `condition: null` means always. */
function alwaysOf({ code }: Found): string {
  return code === "always-true" ? "; for a transition that is always taken write condition: null" : "";
}

function afterOf(last: Last): string {
  if (last.kind === "none") return ` at ${START}, where there is no step`;
  return last.kind === "role" ? ` after ${last.role}` : "";
}

function errorOf({ code, offset, message, suggestion }: Found): ExpressionProblem {
  return problemAt("error", code, offset, message, suggestion);
}
