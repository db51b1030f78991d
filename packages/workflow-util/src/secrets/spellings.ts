/** JSON inside of JSON inside of JSON: a body that quotes an answer that quotes a document. */
const QUOTINGS = 3;

/** A shorter piece of Base64 would be found by chance. */
const SHORTEST_BASE64 = 8;

/** A line of a secret of several lines (a private key) that is a secret by itself; indented, it is still found. */
const SHORTEST_LINE = 16;

/** The forms in which a secret turns up in texts: as it is, quoted in JSON, in a URL, in Base64 at any position. */
export function spellingsOf(secret: string): readonly string[] {
  if (secret.trim() === "") return [];
  const value = secret.replace(/\p{Surrogate}/gu, "\ufffd");
  const plain = [value, value.trim(), ...linesOf(value)];
  const spellings = plain.flatMap((text) => [text, ...quoted(text), ...urlForms(text), ...base64Forms(text)]);
  return [...new Set(spellings)];
}

function linesOf(value: string): readonly string[] {
  if (!value.includes("\n")) return [];
  const lines = value.split("\n").map((line) => line.trim());
  return lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith("-----"));
}

function quoted(text: string): readonly string[] {
  const forms: string[] = [];
  for (let form = text, depth = 0; depth < QUOTINGS; depth += 1) {
    form = JSON.stringify(form).slice(1, -1);
    forms.push(form);
  }
  return forms;
}

function urlForms(text: string): readonly string[] {
  const upper = encodeURIComponent(text);
  const lower = upper.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [upper, lower].flatMap((form) => [form, form.replaceAll("%20", "+")]);
}

/**
 * Base64 turns three bytes into four characters, so a text looks in it one of three ways, by the number of bytes before
 * it (`user:` before a password). The characters at both ends hold bits of its neighbours too and are left out.
 */
function base64Forms(text: string): readonly string[] {
  const bytes = Buffer.from(text, "utf8");
  const standard = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 4) / 3);
    return whole.toString("base64").slice(from, Math.floor((whole.length * 4) / 3));
  });
  const forms = standard.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
  return forms.filter((form) => form.length >= SHORTEST_BASE64);
}
