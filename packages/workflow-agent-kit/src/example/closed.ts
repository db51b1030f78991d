import type { JsonValue } from "@uncaged/json-cas";
import { gather, listedValues, propertiesOf, typesOf } from "@uncaged/json-schema";
import { END, FAIL, type Transition, type WorkflowPayload } from "@uncaged/workflow-protocol";
import { type LastOutput, readPredicate } from "./predicate.js";
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
