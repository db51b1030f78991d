import type { Random } from "../frame.js";

// Random expressions over a history: most of them look at its end, many in ways that only seem to. They are built
// from the grammar, not from text, so nearly all of them parse.

const FIELDS = ["ok", "n", "text", "items", "deep", "missing", "steps", "start", "role"] as const;
const OPERATORS = ["=", "!=", "<", ">", ">=", "and", "or", "in", "+", "-", "*"] as const;
const ONE = [
  "$exists",
  "$not",
  "$boolean",
  "$count",
  "$type",
  "$number",
  "$sum",
  "$max",
  "$uppercase",
] as const;

/** Ways to look at more than the last steps, or to seem to. */
const TRAPS = [
  "$$.steps[0].role",
  "$.steps[-1].role",
  "$count(steps)",
  "steps.role[-1]",
  "steps[role = 'a'][-1].output.n",
  "steps[output.ok].role",
  "(steps)[-1].role",
  "steps[0].output.n",
  "steps[-1].output.items[$$.steps[0].output.ok]",
  "$count(steps[output.n > 1])",
  "steps[$count(steps) - 1].role",
  "steps[[-2..-1]].role",
  "*[0].role",
  "steps.output.n",
  "$sum(steps.output.n)",
  "steps[-1].($$.steps[0].output.n)",
  "($s := steps; $s[-1].role)",
  "($s := steps[-1]; $s.output.n)",
  "steps#$i[-1].$i",
  "$type($)",
] as const;

/** They are evaluated in a process of their own, which takes time: rare. */
const FAR = [
  "$contains(steps[-1].output.text, /^[ab]+$/)",
  "$string(steps[-2].output.deep)",
  "$length(steps[-1].output.text)",
  "$join(steps[-1].output.items.name, ',')",
  "$substring(steps[-1].output.text, 1)",
  "$keys(steps[-1].output)",
  "$append(steps[-1].role, steps[-2].role)",
] as const;

/** What is evaluated in a process of its own: of the above, and of the traps. */
const IS_FAR = /\[\[|\*\[|\.\(\$\$|#\$|\$(?:string|length|join|substring|keys|append)\(|\/\^/;

export function isFar(expression: string): boolean {
  return IS_FAR.test(expression);
}

/** One condition; every fifth is made to give a boolean. */
export function randomExpression(random: Random, depth = 3): string {
  const draw = random.next();
  if (draw < 0.0006) return random.pick(FAR);
  if (draw < 0.2 && depth === 3) return `${randomExpression(random, 2)} = ${literal(random)}`;
  if (depth === 0 || draw < 0.3) return leaf(random);
  if (draw < 0.6) {
    const [left, right] = [randomExpression(random, depth - 1), randomExpression(random, depth - 1)];
    return `(${left}) ${random.pick(OPERATORS)} (${right})`;
  }
  if (draw < 0.8) return `${random.pick(ONE)}(${randomExpression(random, depth - 1)})`;
  if (draw < 0.88) return `(${randomExpression(random, depth - 1)}; ${randomExpression(random, depth - 1)})`;
  const parts = [0, 1, 2].map(() => randomExpression(random, depth - 1));
  return `((${parts[0]}) ? (${parts[1]}) : (${parts[2]}))`;
}

function leaf(random: Random): string {
  const draw = random.next();
  if (draw < 0.25) return literal(random);
  if (draw < 0.4) return random.pick(TRAPS);
  if (draw < 0.5) return random.pick(["start.prompt", "start.workflow", "start", "nothing.at.all"] as const);
  return pathFromTheEnd(random);
}

function literal(random: Random): string {
  return random.pick(["true", "false", "null", "1", "2.5", "'a'", "'b'", "['a', 'b']", "-1"] as const);
}

/** `steps[-2].output.items[n > 1].name` */
function pathFromTheEnd(random: Random): string {
  const step = `steps[-${1 + random.below(4)}]${random.next() < 0.2 ? filter(random) : ""}`;
  const field = random.pick(["role", "output", "output", "output", "detail", "agent", "steps"] as const);
  const names = Array.from({ length: random.below(4) }, () => random.pick(FIELDS));
  const path = [step, field, ...names].join(".");
  return random.next() < 0.3 ? `${path}${filter(random)}` : path;
}

function filter(random: Random): string {
  return random.pick([
    "[0]",
    "[-1]",
    "[n > 1]",
    "[ok]",
    "[steps[-3].role = 'a']",
    "[steps[0].role = 'a']",
    "[$$.steps[0].role = 'a']",
    "[output.n > 1]",
    "[role = 'b']",
  ] as const);
}
