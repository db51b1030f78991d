import { type ListedThread, linearise, type Storage } from "@uncaged/workflow-store";
import type { Breach } from "../invariants/index.js";
import type { Sighting } from "./types.js";

/**
 * Every answer about a thread must fit one line of time: all heads that were seen lie on its chain, and who asked
 * later never saw an earlier one.
 */
export function brokenSightings(
  storage: Storage,
  states: readonly ListedThread[],
  sightings: readonly Sighting[],
): readonly Breach[] {
  const byThread = new Map<string, Sighting[]>();
  for (const sighting of sightings) {
    byThread.set(sighting.thread, [...(byThread.get(sighting.thread) ?? []), sighting]);
  }
  return states.flatMap((state) => {
    const chain = linearise(storage.cas, state.head);
    if (!chain.ok) return [];
    const places = new Map<string, number>(
      [chain.value.start, ...chain.value.steps].map(({ hash }, place) => [hash, place]),
    );
    return brokenOrder(state.thread, byThread.get(state.thread) ?? [], places);
  });
}

function brokenOrder(
  thread: string,
  sightings: readonly Sighting[],
  places: ReadonlyMap<string, number>,
): readonly Breach[] {
  const found: Breach[] = [];
  const placed: (Sighting & { readonly place: number })[] = [];
  for (const sighting of sightings) {
    const place = places.get(sighting.head);
    if (place !== undefined) placed.push({ ...sighting, place });
    else
      found.push({
        promise: "a head never goes back",
        evidence: `${said(thread, sighting)}, not in its chain`,
      });
  }
  for (const later of placed) {
    const earlier = placed.find(({ ended, place }) => ended < later.began && place > later.place);
    if (earlier === undefined) continue;
    const evidence = `${said(thread, later)} after ${said(thread, earlier)}, which is a later step`;
    found.push({ promise: "a head never goes back", evidence });
  }
  return found;
}

function said(thread: string, { by, head }: Sighting): string {
  return `${by} said ${thread} stands at ${head}`;
}
