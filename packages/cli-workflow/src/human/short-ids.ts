/** Shorter ends are accepted by no command. */
const SHORTEST = 4;

/**
 * The shortest end of an id, of 4 characters or more, by which every command finds it among these: no other id ends
 * so, or begins so.
 */
export function shortIds(ids: Iterable<string>): (id: string) => string {
  const byEnd = new Map<string, string[]>();
  const beginnings = new Set<string>();
  for (const id of ids) {
    const end = id.slice(-SHORTEST);
    const alike = byEnd.get(end);
    if (alike === undefined) byEnd.set(end, [id]);
    else alike.push(id);
    beginnings.add(id.slice(0, SHORTEST));
  }
  const isTaken = (id: string, end: string): boolean =>
    beginnings.has(end.slice(0, SHORTEST)) ||
    (byEnd.get(end.slice(-SHORTEST)) ?? []).some((other) => other !== id && other.endsWith(end));
  return (id) => {
    for (let length = SHORTEST; length < id.length; length += 1) {
      const end = id.slice(-length);
      if (!isTaken(id, end)) return end;
    }
    return id;
  };
}
