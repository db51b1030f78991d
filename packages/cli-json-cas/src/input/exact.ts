const QUOTE_OR_NUMBER = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The first whole number in JSON text that a 64-bit float cannot hold: parsing would silently change it. */
export function inexactInteger(text: string): string | null {
  const tokens = new RegExp(QUOTE_OR_NUMBER);
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [token] = match;
    // Digits inside a string are no number. A pattern for the whole string would overflow the stack on a long one.
    if (token === '"') tokens.lastIndex = endOfString(text, match.index + 1);
    else if (isInexact(token)) return token;
  }
  return null;
}

function isInexact(token: string): boolean {
  return /^-?\d{16,}$/.test(token) && BigInt(token) !== BigInt(Number(token));
}

/** The place after the quote that closes a string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
