type Variables = Readonly<Record<string, string>>;

const IGNORED = /^\s*(?:#.*)?$/;
const PLAIN = /^(?:export )?([A-Za-z_]\w*)=([\w./:@+-]*)$/;

/** The variables of a `.env` text, as dotenv reads them. Plain lines need no library: dotenv costs half a step. */
export async function parseEnv(text: string): Promise<Variables> {
  const plain = parsePlain(text);
  if (plain !== null) return plain;
  const { parse } = await import("dotenv");
  return parse(text);
}

/** `null` when a line is neither empty, nor a comment, nor `NAME=plain`. */
export function parsePlain(text: string): Variables | null {
  const variables: Record<string, string> = {};
  for (const line of text.split(/\r\n|\n/)) {
    if (IGNORED.test(line)) continue;
    const [, name, value] = PLAIN.exec(line) ?? [];
    if (name === undefined || value === undefined || name === "__proto__") return null;
    variables[name] = value;
  }
  return variables;
}
