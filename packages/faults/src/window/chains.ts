import { createMemoryStore, putSchema, type Store } from "@uncaged/json-cas";
import type { CasRef, StepContext } from "@uncaged/workflow-protocol";
import { putContent, putStart, putStep, putWorkflow } from "@uncaged/workflow-store";
import type { Random } from "../frame/index.js";
import { randomStep } from "./histories.js";

/** A node that could be a head. */
export type Place = {
  readonly start: CasRef;
  readonly head: CasRef;
  readonly length: number;
  /** What conditions see of it; `null` for a start. */
  readonly step: StepContext | null;
};

/** Chains of two starts, which grow and fork; their nodes are in memory. */
export type Chains = {
  readonly cas: Store;
  /** One step behind a place. */
  readonly extend: (place: Place) => Promise<Place>;
  /** Where the thread stands next, at least one step long: mostly it has gone on, sometimes back or aside. */
  readonly move: () => Promise<Place>;
};

const LONGEST = 16;

export async function openChains(random: Random): Promise<Chains> {
  const cas = createMemoryStore();
  const [anything, detail] = [await putSchema(cas, { title: "anything" }), await putContent(cas, "a reply")];
  const starts = await startsIn(cas);
  const places = [...starts];
  const extend = async ({ start, head, length }: Place): Promise<Place> => {
    const { role, agent, output } = randomStep(random);
    const node = { start, prev: length === 0 ? null : head, role, agent, detail };
    const next = await putStep(cas, { ...node, output: await cas.put(anything, output) });
    const place = { start, head: next, length: length + 1, step: { role, output, detail, agent } };
    places.push(place);
    return place;
  };
  const from = (): Place => {
    const place = random.next() < 0.8 ? places.at(-1) : places[random.below(places.length)];
    return place !== undefined && place.length < LONGEST ? place : random.pick(starts);
  };
  const move = async (): Promise<Place> => {
    let place = from();
    for (let more = random.below(4); more > 0; more -= 1) place = await extend(place);
    return place.length === 0 ? extend(place) : place;
  };
  return { cas, extend, move };
}

async function startsIn(cas: Store): Promise<readonly [Place, Place]> {
  const workflow = await putWorkflow(cas, {
    name: "random",
    description: "",
    roles: {},
    conditions: {},
    graph: {},
  });
  const at = async (prompt: string): Promise<Place> => {
    const start = await putStart(cas, { workflow, prompt });
    return { start, head: start, length: 0, step: null };
  };
  return [await at("a"), await at("Fix the bug")];
}
