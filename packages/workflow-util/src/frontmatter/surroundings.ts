import { closesCodeFence, codeFenceOf } from "./fences.js";

/** What stands around a block, once a code fence around it is taken away. */
export type Surroundings = { readonly before: string; readonly after: string };

/**
 * A code fence that opens on the line before the block belongs to it. It closes right after the block,
 * or, when the whole rest stands inside it, with the last line.
 */
export function withoutCodeFence(before: string, after: string): Surroundings {
  const prose = before.trimEnd();
  const lastLine = prose.slice(prose.lastIndexOf("\n") + 1);
  const marker = codeFenceOf(lastLine.replace("\ufeff", "").trim());
  if (marker === null) return { before, after };
  return { before: prose.slice(0, prose.length - lastLine.length), after: withoutClosing(after, marker) };
}

function withoutClosing(after: string, marker: string): string {
  const text = after.trimStart();
  const end = text.indexOf("\n") < 0 ? text.length : text.indexOf("\n");
  if (closesCodeFence(text.slice(0, end).trim(), marker)) return text.slice(end + 1);
  const tail = after.trimEnd();
  const last = tail.slice(tail.lastIndexOf("\n") + 1);
  return closesCodeFence(last.trim(), marker) ? tail.slice(0, tail.length - last.length) : after;
}
