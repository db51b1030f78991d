/** JSON inside of JSON inside of JSON: a body that quotes an answer that quotes a document. */
const QUOTINGS = 3;

/** Takes a key out of a text that others wrote, in every spelling that a body or URL gives it. */
export function redact(text: string, key: string | null): string {
  if (key === null || key.trim() === "") return text;
  const spellings = [key, key.trim(), encodeURIComponent(key)];
  for (let quoted = key, depth = 0; depth < QUOTINGS; depth += 1) {
    quoted = JSON.stringify(quoted).slice(1, -1);
    spellings.push(quoted);
  }
  // The longest first: a shorter one may stand inside of it.
  const ordered = spellings.toSorted((a, b) => b.length - a.length);
  return ordered.reduce((clean, spelling) => clean.replaceAll(spelling, "[key]"), text);
}
