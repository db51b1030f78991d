const TAGS = "task|history|step|output|reply|example|attempt";

// Between `<` and the name a reader overlooks blanks and invisible characters, so the test does too.
const TAG_START = new RegExp(
  `<(?=[\\s\\u200b-\\u200f\\u2060\\ufeff]*/?[\\s\\u200b-\\u200f\\u2060\\ufeff]*(?:${TAGS})(?![A-Za-z0-9_-]))`,
  "gi",
);

/** Data that cannot close or open one of our tags: there `<` becomes `&lt;`, nothing else changes. */
export function neutralise(data: string): string {
  return data.replace(TAG_START, "&lt;");
}

/** Data between tags, on lines of their own. */
export function delimit(tag: string, attributes: Readonly<Record<string, string>>, data: string): string {
  return wrap(tag, attributes, neutralise(data));
}

/** `delimit` around what is delimited already. */
export function wrap(tag: string, attributes: Readonly<Record<string, string>>, content: string): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${attribute(value)}"`);
  return `<${tag}${written.join("")}>\n${content}${content.endsWith("\n") ? "" : "\n"}</${tag}>`;
}

function attribute(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
