import { Document, isMap, parseDocument, type YAMLMap } from "yaml";
import type { Edit } from "./edits.js";

/** The text with the edits in it, or the path (`agents.hermes`) at which something else than a map is in the way. */
export function editDocument(
  old: string,
  edits: readonly Edit[],
): { readonly kind: "edited"; readonly text: string } | { readonly kind: "blocked"; readonly at: string } {
  // The caller has refused doubled keys; the library's own check of them is quadratic.
  const parsed = parseDocument(old, { uniqueKeys: false });
  const document = parsed.contents === null || parsed.toJS() === null ? emptyDocument(old) : parsed;
  if (!isMap(document.contents)) return { kind: "blocked", at: "the document" };
  const blocked = edits.find((edit) => !apply(document, edit));
  if (blocked !== undefined) return { kind: "blocked", at: blocked.path.slice(0, -1).join(".") };
  return { kind: "edited", text: document.toString({ lineWidth: 0 }) };
}

/** `false` when something on the way is neither a map nor empty. */
function apply(document: Document, { path, value, onlyIfAbsent }: Edit): boolean {
  for (let length = 1; length < path.length; length += 1) {
    const way = path.slice(0, length);
    const there = document.getIn(way);
    if (there === null || there === undefined) document.setIn(way, document.createNode({}));
    else if (!isMap(there)) return false;
  }
  if (value === undefined) document.deleteIn(path);
  else if (!onlyIfAbsent || !document.hasIn(path)) document.setIn(path, value);
  return true;
}

/** An empty text still may hold comments. */
function emptyDocument(old: string): Document<YAMLMap> {
  const document = new Document<YAMLMap>({});
  document.contents = document.createNode({}) as YAMLMap;
  const comment = old
    .replaceAll("\r\n", "\n")
    .split("\n")
    .filter((line) => line.startsWith("#"));
  if (comment.length > 0) document.commentBefore = comment.map((line) => line.slice(1)).join("\n");
  return document;
}
