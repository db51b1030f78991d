/** JSON inside of JSON inside of JSON: a body that quotes an answer that quotes a document. */
const QUOTINGS = 3;

/** A shorter piece of Base64 would be found by chance. */
const SHORTEST_BASE64 = 8;

/** A line of a secret of several lines (a private key) that is a secret by itself; indented, it is still found. */
const SHORTEST_LINE = 16;

/**
 * The forms in which a secret turns up in texts: as it is, quoted in JSON, in a URL, in Base64 at any position. Every
 * step of a user with keys pays for this, so what gives nothing new is not made: most keys have three forms beside
 * themselves.
 */
export function spellingsOf(secret: string): readonly string[] {
  if (secret.trim() === "") return [];
  const value = secret.replace(/[\uD800-\uDFFF]/gu, "\ufffd");
  const trimmed = value.trim();
  const plain = trimmed === value ? [value] : [value, trimmed];
  const whole = plain.flatMap((text) => [text, ...quoted(text), ...urlForms(text), ...base64Forms(text)]);
  return [...whole, ...linesOf(value).flatMap((line) => [line, ...quoted(line)])];
}

function linesOf(value: string): readonly string[] {
  if (!value.includes("\n")) return [];
  const lines = value.split("\n").map((line) => line.trim());
  return lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith("-----"));
}

function quoted(text: string): readonly string[] {
  const forms: string[] = [];
  for (let form = text; forms.length < QUOTINGS; forms.push(form)) {
    const next = JSON.stringify(form).slice(1, -1);
    if (next === form) break;
    form = next;
  }
  return forms;
}

function urlForms(text: string): readonly string[] {
  const upper = encodeURIComponent(text);
  if (upper === text) return [];
  const lower = upper.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [upper, lower].flatMap((form) => [form, form.replaceAll("%20", "+")]);
}

/**
 * Base64 turns three bytes into four characters, so a text looks in it one of three ways, by the number of bytes before
 * it (`user:` before a password). The characters at both ends hold bits of its neighbours too and are left out.
 */
function base64Forms(text: string): readonly string[] {
  const bytes = bytesOf(text);
  const standard = [0, 1, 2].map((before) => {
    const from = Math.ceil((before * 4) / 3);
    const to = Math.floor(((before + bytes.length) * 4) / 3);
    return btoa("\0".repeat(before) + bytes).slice(from, to);
  });
  return standard
    .flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")])
    .filter((form) => form.length >= SHORTEST_BASE64);
}

/** One character per byte of UTF-8: what `btoa` takes. */
function bytesOf(text: string): string {
  const encoded = encodeURIComponent(text);
  return encoded.replace(/%([0-9A-F]{2})/g, (_code, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
