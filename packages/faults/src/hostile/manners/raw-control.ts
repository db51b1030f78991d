// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** The first character of a text that a terminal would obey, with what stands around it; `null` when there is none. */
export function rawControl(text: string): string | null {
  const at = text.search(RAW);
  if (at === -1) return null;
  const code = text.charCodeAt(at).toString(16).padStart(4, "0");
  return `U+${code} in ${JSON.stringify(text.slice(Math.max(0, at - 40), at + 40))}`;
}
