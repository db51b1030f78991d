import type { JsonValue } from "@uncaged/json-cas";
import { gather, listedValues, propertiesOf, typesOf } from "@uncaged/json-schema";
import { END, FAIL, type Transition, type WorkflowPayload } from "@uncaged/workflow-protocol";
import { scalarCandidates } from "./scalars.js";

/** JSON Pointer into an output to the value that an example shows there. */
export type ShownValues = ReadonlyMap<string, JsonValue>;

type Graph = Pick<WorkflowPayload, "conditions" | "graph">;

const MOST_CHOICES = 256;

/**
 * The values of a role's output after which no gate opens, as far as the conditions on the role's own transitions tell: the
 * thread fails, or comes back to the role before it can end. An example with these values approves nothing when a model
 * repeats it. Empty where every output leads on, or none does.
 */
export function closedValues(workflow: Graph, role: string, schema: JsonValue): ShownValues {
  return valuesThat(workflow, role, schema, "close");
}

/** Those after which one opens: of a thread that goes as it is meant. */
export function openValues(workflow: Graph, role: string, schema: JsonValue): ShownValues {
  return valuesThat(workflow, role, schema, "open");
}

function valuesThat(workflow: Graph, role: string, schema: JsonValue, wanted: Outcome): ShownValues {
  const transitions = own(workflow.graph, role) ?? [];
  const ways = transitions.map((transition) => wayOf(workflow, role, transition));
  const pointers = [...new Set(ways.flatMap(({ predicate }) => predicate?.pointers ?? []))];
  const choices = choicesOf(pointers, schema);
  const meant = choices.filter((choice) => outcomeOf(ways, choice) === wanted);
  return meant.length === choices.length ? new Map() : (meant[0] ?? new Map());
}

type Outcome = "open" | "close";

type Way = {
  /** `null`: the condition says more than can be read here. */
  readonly predicate: LastOutput | null;
  readonly opens: boolean;
};

const ALWAYS: LastOutput = { pointers: [], holds: () => true };

function wayOf({ conditions, graph }: Graph, role: string, { role: target, condition }: Transition): Way {
  const expression = condition === null ? null : (own(conditions, condition)?.expression ?? "");
  const predicate = expression === null ? ALWAYS : readPredicate(expression, role);
  return { predicate, opens: target !== FAIL && endsWithout(graph, role, target) };
}

/** Whether the thread can end well from `target` before it comes to `role` again. */
function endsWithout(graph: Graph["graph"], role: string, target: string): boolean {
  const reached = new Set([target]);
  for (const node of reached) {
    if (node === END) return true;
    if (node !== role) for (const { role: next } of own(graph, node) ?? []) reached.add(next);
  }
  return false;
}

/**
 * A condition that cannot be read may hold or not. For "close" every way that may be taken has to; "open" is what the
 * readable conditions say.
 */
function outcomeOf(ways: readonly Way[], values: ShownValues): Outcome | null {
  const at = ways.findIndex(({ predicate }) => predicate?.holds(values) === true);
  const before = at === -1 ? ways : ways.slice(0, at);
  const opens = at !== -1 && ways[at]?.opens === true;
  if (opens) return "open";
  return before.some((way) => way.predicate === null && way.opens) ? null : "close";
}

/** Every combination of what an example may show at the pointers, the likeliest first; bounded. */
function choicesOf(pointers: readonly string[], schema: JsonValue): readonly ShownValues[] {
  let choices: readonly ShownValues[] = [new Map()];
  for (const pointer of pointers) {
    const candidates = candidatesAt(schema, pointer);
    if (candidates.length === 0 || choices.length * candidates.length > MOST_CHOICES) continue;
    choices = choices.flatMap((choice) =>
      candidates.map((candidate) => new Map([...choice, [pointer, candidate]])),
    );
  }
  return choices;
}

/** A text that is not listed has no candidates: a made-up one equals no text of a condition. */
function candidatesAt(root: JsonValue, pointer: string): readonly JsonValue[] {
  let schema: JsonValue = root;
  for (const name of pointer.split("/").slice(1))
    schema = propertiesOf(gather(root, schema).conjuncts).get(name) ?? true;
  const { conjuncts } = gather(root, schema);
  const listed = listedValues(conjuncts);
  if (listed !== null) return listed;
  const types = (typesOf(conjuncts) ?? []).filter((type) => ["boolean", "integer", "number"].includes(type));
  return types.flatMap((type) => scalarCandidates(type, conjuncts, { name: "", hashes: [] }));
}

function own<T>(map: Readonly<Record<string, T>>, key: string): T | null {
  return Object.hasOwn(map, key) ? (map[key] ?? null) : null;
}

/** A condition that depends on nothing but fields of the role's last output. */
type LastOutput = {
  /** JSON Pointers to the fields. */
  readonly pointers: readonly string[];
  readonly holds: (values: ReadonlyMap<string, JsonValue>) => boolean;
};

const NAME = "(?:[A-Za-z_]\\w*|`[^`/~]+`)";
const FIELD = `((?:\\.${NAME})+)`;
const LITERAL = `true|false|null|-?\\d+(?:\\.\\d+)?|"[^"\\\\]*"|'[^'\\\\]*'`;

/**
 * The usual conditions, read without the engine: `steps[-1].output.approved = true`, the field alone, `$not(…)`, `and`, `or`.
 * `null` for everything else. An example is all that depends on it; the moderator decides.
 */
function readPredicate(expression: string, role: string): LastOutput | null {
  const text = withoutParentheses(expression.trim());
  for (const [word, every] of JOINS) {
    const parts = splitAtTop(text, word);
    if (parts.length > 1) return join(parts, role, every);
  }
  const [, negated] = /^\$not\((.*)\)$/s.exec(text) ?? [];
  if (negated === undefined) return readComparison(text, role);
  const inner = readPredicate(negated, role);
  return inner === null ? null : { ...inner, holds: (values) => !inner.holds(values) };
}

/** The weaker one first. */
const JOINS = [
  [" or ", false],
  [" and ", true],
] as const;

function join(parts: readonly string[], role: string, every: boolean): LastOutput | null {
  const read = parts.map((part) => readPredicate(part, role));
  const all = read.filter((part) => part !== null);
  if (all.length < read.length) return null;
  return {
    pointers: all.flatMap(({ pointers }) => pointers),
    holds: (values) =>
      every ? all.every(({ holds }) => holds(values)) : all.some(({ holds }) => holds(values)),
  };
}

function readComparison(text: string, role: string): LastOutput | null {
  const last = `steps(?:\\[role\\s*=\\s*["']${role}["']\\])?\\[-1\\]\\.output`;
  const pattern = new RegExp(`^${last}${FIELD}(?:\\s*(=|!=|<=|>=|<|>)\\s*(${LITERAL}))?$`);
  const [, field = "", operator = "=", literal = "true"] = pattern.exec(text) ?? [];
  if (field === "") return null;
  const names = [...field.matchAll(new RegExp(`\\.(${NAME})`, "g"))].map(([, name = ""]) => name);
  const pointer = names.map((name) => `/${name.replaceAll("`", "")}`).join("");
  const wanted = literalValue(literal);
  return { pointers: [pointer], holds: (values) => compare(values.get(pointer), operator, wanted) };
}

function literalValue(literal: string): JsonValue {
  return literal.startsWith("'") ? literal.slice(1, -1) : (JSON.parse(literal) as JsonValue);
}

function compare(value: JsonValue | undefined, operator: string, wanted: JsonValue): boolean {
  if (operator === "=") return value === wanted;
  if (operator === "!=") return value !== wanted;
  if (typeof value !== "number" || typeof wanted !== "number") return false;
  if (operator === "<") return value < wanted;
  if (operator === ">") return value > wanted;
  return operator === "<=" ? value <= wanted : value >= wanted;
}

function withoutParentheses(text: string): string {
  const isWrapped = text.startsWith("(") && closingOf(text) === text.length - 1;
  return isWrapped ? withoutParentheses(text.slice(1, -1).trim()) : text;
}

/** Where the first parenthesis is closed. */
function closingOf(text: string): number {
  return [...depths(text)].findIndex((depth, at) => at > 0 && depth === 0);
}

function splitAtTop(text: string, word: string): readonly string[] {
  const depth = depths(text);
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (depth[at] !== 0) continue;
    parts.push(text.slice(from, at));
    from = at + word.length;
  }
  return [...parts, text.slice(from)];
}

/**
 * The depth of brackets after each character; characters of a quoted text count as deeper than any bracket.
 */
function depths(text: string): readonly number[] {
  let [depth, quote] = [0, ""];
  return text.split("").map((char) => {
    if (quote !== "") {
      if (char === quote) quote = "";
      return Infinity;
    }
    if (/["'`]/.test(char)) {
      quote = char;
      return Infinity;
    }
    if (/[([{]/.test(char)) depth += 1;
    if (/[)\]}]/.test(char)) depth -= 1;
    return depth;
  });
}
