/** Takes a key out of a text that others wrote, in every spelling that a body or URL gives it. */
export function redact(text: string, key: string | null): string {
  if (key === null || key.trim() === "") return text;
  const spellings = [key, key.trim(), encodeURIComponent(key), JSON.stringify(key).slice(1, -1)];
  return spellings.reduce((clean, spelling) => clean.replaceAll(spelling, "[key]"), text);
}
