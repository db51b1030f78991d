import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { gather, listedValues, type TypeName, typesOf } from "@uncaged/json-schema";
import type { Built, Draft, Spot } from "./branches.js";
import { branchesOf } from "./branches.js";
import { buildList, buildObject } from "./object.js";
import { authoredCandidates, scalarCandidates } from "./scalars.js";

const MOST_NODES = 2000;
const DEEPEST = 24;

const ANY_TYPE: readonly TypeName[] = ["string", "integer", "boolean", "object", "array", "null"];

type Alternative = () => Built;

/** A value for the schema at the spot, by the draft's picks. */
export function build(draft: Draft, schema: JsonValue, spot: Spot): Built {
  draft.spent.nodes += 1;
  if (draft.spent.nodes > MOST_NODES || spot.depth > DEEPEST) return null;
  const { refs } = gather(draft.root, schema);
  const inside = { ...spot, active: [...spot.active, ...refs] };
  const alternatives = branchesOf(draft.root, schema).flatMap((conjuncts) =>
    alternativesOf(draft, conjuncts, inside),
  );
  draft.offered.set(spot.pointer, alternatives.length);
  if (alternatives.length === 0) return null;
  const pick = draft.picks.get(spot.pointer) ?? spot.preferred;
  return alternatives[pick % alternatives.length]?.() ?? null;
}

function alternativesOf(draft: Draft, conjuncts: readonly JsonObject[], spot: Spot): readonly Alternative[] {
  const listed = listedValues(conjuncts);
  if (listed !== null) return bestFirst(draft, spot, listed).map(given);
  const types = typesOf(conjuncts) ?? ANY_TYPE;
  // An author's `true` is no reason to show one: what a model repeats must not open a gate.
  const authored = authoredCandidates(conjuncts).filter((value) => typeof value !== "boolean");
  return [
    ...bestFirst(draft, spot, authored).map(given),
    ...types.flatMap((type) => alternativesOfType(draft, type, conjuncts, spot)),
  ];
}

function alternativesOfType(
  draft: Draft,
  type: TypeName,
  conjuncts: readonly JsonObject[],
  spot: Spot,
): readonly Alternative[] {
  if (type === "object") return [() => buildObject(draft, conjuncts, spot, build)];
  if (type === "array") return [() => buildList(draft, conjuncts, spot, build)];
  const candidates = scalarCandidates(type, conjuncts, { name: spot.name, hashes: draft.hashes });
  return bestFirst(draft, spot, candidates).map((value) => () => {
    const isMadeUp = !draft.hashes.some((hash) => hash === value);
    if (typeof value === "string" && isMadeUp) draft.fillers.add(value);
    return { value };
  });
}

function bestFirst({ shown }: Draft, { pointer }: Spot, values: readonly JsonValue[]): readonly JsonValue[] {
  const best = shown.get(pointer);
  return best === undefined || !values.includes(best)
    ? values
    : [best, ...values.filter((value) => value !== best)];
}

function given(value: JsonValue): Alternative {
  return () => ({ value });
}
