import { type Document, isMap, isNode, LineCounter, parseDocument } from "yaml";
import type { Path, Problem } from "./parse.js";

type Read =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The value of a YAML text, or what is wrong with it as sentences. */
export function readYaml(text: string): Read {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0)
    return {
      ok: false,
      problems: document.errors.map(({ message }) => message.split("\n")[0] ?? message),
    };
  try {
    return { ok: true, value: document.toJS() };
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : String(error)] };
  }
}

/** Each problem as a sentence, in the order of the file: `line 7: reply in entry 1 of maker must be a text`. JSON is YAML too. */
export function withLines(text: string, problems: readonly Problem[]): readonly string[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return problems
    .map(({ path, sentence }) => ({ sentence, line: lines.linePos(offsetOf(document, path)).line }))
    .sort((a, b) => a.line - b.line)
    .map(({ sentence, line }) => `line ${line}: ${sentence}`);
}

/** Where the key of a value stands, or the item of a list; of what is not there, the nearest thing around it. */
function offsetOf(document: Document, path: Path): number {
  if (path.length === 0) return document.contents?.range?.[0] ?? 0;
  const key = path.at(-1);
  const around = document.getIn(path.slice(0, -1), true);
  const node = isMap(around)
    ? around.items.find((pair) => isNode(pair.key) && String(pair.key.toJSON()) === String(key))?.key
    : document.getIn(path, true);
  return isNode(node) && node.range ? node.range[0] : offsetOf(document, path.slice(0, -1));
}
