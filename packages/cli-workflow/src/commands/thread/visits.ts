import type { ChildLine } from "@uncaged/workflow-protocol";

/** Several at a time start in any order: those of one visit of a role stand together, by item. */
export function byVisit(lines: readonly ChildLine[]): readonly ChildLine[] {
  const visits = new Map<string, ChildLine[]>();
  for (const line of lines) {
    const visit = `${line.head}/${line.role}`;
    const others = visits.get(visit);
    if (others === undefined) visits.set(visit, [line]);
    else others.push(line);
  }
  return [...visits.values()].flatMap((each) =>
    each.sort((one, other) => (one.item ?? 0) - (other.item ?? 0)),
  );
}
