import type { Beginnings } from "./types.js";

/** `spellings`: the longest first. */
export function beginningsOf(spellings: readonly string[]): Beginnings {
  const longest = spellings[0]?.length ?? 0;
  const byFirst = groupByFirst(spellings);
  const atEndOf: Beginnings["atEndOf"] = (text) => {
    // From the front, so that the longest is found first; nearly every character begins no spelling at all.
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
      const candidates = byFirst.get(text.charAt(at)) ?? [];
      const rest = candidates.length === 0 ? "" : text.slice(at);
      const spelling = candidates.find((each) => each.length > rest.length && each.startsWith(rest));
      if (spelling !== undefined) return { at, spelling };
    }
    return null;
  };
  return { atEndOf };
}

function groupByFirst(spellings: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const spelling of spellings) {
    const first = spelling.charAt(0);
    groups.set(first, [...(groups.get(first) ?? []), spelling]);
  }
  return groups;
}
