/** Shorter ends are accepted by no command. */
const SHORTEST = 4;

/** Longer ends are no shorter to type than a beginning. */
const LONGEST_END = 12;

/**
 * The shortest end of an id, of 4 characters or more, by which every command finds it among these: no other id ends
 * so, or begins so. A thread that stands in another one's place ends as that does: it gets its beginning.
 */
export function shortIds(ids: Iterable<string>): (id: string) => string {
  const all: string[] = [];
  const byEnd = new Map<string, string[]>();
  const beginnings = new Set<string>();
  for (const id of ids) {
    all.push(id);
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
    for (let length = SHORTEST; length <= LONGEST_END; length += 1) {
      const end = id.slice(-length);
      if (!isTaken(id, end)) return end;
    }
    for (let length = SHORTEST; length < id.length; length += 1) {
      const part = id.slice(0, length);
      if (!all.some((other) => other !== id && (other.startsWith(part) || other.endsWith(part)))) return part;
    }
    return id;
  };
}
