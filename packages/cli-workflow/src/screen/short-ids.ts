/** Shorter ends are accepted by no command. */
const SHORTEST = 4;

/** Characters of an id that a thread has in common with the one that it replaces. */
const COMMON = 16;

/**
 * The shortest end of an id, of 4 characters or more, by which every command finds it among these: no other id ends
 * so, or begins so. A thread that stands in the place of an ended one has that one's end too, and it is the new one that
 * commands find by it.
 */
export function shortIds<Id extends string>(
  ids: Iterable<Id>,
  hasEnded: (id: Id) => boolean,
): (id: string) => string {
  const byEnd = new Map<string, string[]>();
  const beginnings = new Set<string>();
  const over = new Set<string>();
  for (const id of ids) {
    const end = id.slice(-SHORTEST);
    const alike = byEnd.get(end);
    if (alike === undefined) byEnd.set(end, [id]);
    else alike.push(id);
    beginnings.add(id.slice(0, SHORTEST));
    if (hasEnded(id)) over.add(id);
  }
  const isOlder = (other: string, id: string): boolean =>
    other.slice(-COMMON) === id.slice(-COMMON) && over.has(other) && !over.has(id);
  const isTaken = (id: string, end: string): boolean =>
    beginnings.has(end.slice(0, SHORTEST)) ||
    (byEnd.get(end.slice(-SHORTEST)) ?? []).some(
      (other) => other !== id && other.endsWith(end) && !isOlder(other, id),
    );
  return (id) => {
    for (let length = SHORTEST; length < id.length; length += 1) {
      const end = id.slice(-length);
      if (!isTaken(id, end)) return end;
    }
    return id;
  };
}
