type Variables = Readonly<Record<string, string>>;

/**
 * The grammar of dotenv, which costs half a step to load: a test compares the two. Blanks before a name are those of its own
 * line, so that a file of blank lines is read once and not once from each line.
 */
const LINE =
  /^[^\S\n\u2028\u2029]*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/gm;

/** The variables of a `.env` text, as dotenv reads them. */
export function parseEnv(text: string): Variables {
  const variables: Record<string, string> = {};
  for (const [, name = "", written = ""] of text.replace(/\r\n?/g, "\n").matchAll(LINE)) {
    const value = written.trim();
    const inside = /^(['"`])[\s\S]*\1$/.test(value) ? value.slice(1, -1) : value;
    if (name !== "__proto__") variables[name] = value.startsWith('"') ? withBreaks(inside) : inside;
  }
  return variables;
}

function withBreaks(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll("\\r", "\r");
}
