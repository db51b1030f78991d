import { type Document, treeOf, withTree } from "../package/index.js";
import type { XmlElement } from "../xml/index.js";
import { isXml } from "../zip/index.js";
import type { Keep } from "./properties.js";
import { settle } from "./settle.js";

const TRACKED =
  /^w:(ins|del|moveFrom|moveTo|[a-zA-Z]*Change|(moveFromRange|moveToRange|customXml[a-zA-Z]*Range)(Start|End))$/;

/** The document after all of its tracked changes. */
export function acceptChanges(document: Document): Document {
  return settled(document, "new");
}

/** The document before all of its tracked changes. */
export function rejectChanges(document: Document): Document {
  return settled(document, "old");
}

/** Whether a part has tracked changes. */
export function isTracked(root: XmlElement): boolean {
  const known = new Map<string, boolean>();
  const isMark = (name: string): boolean => {
    const is = known.get(name) ?? TRACKED.test(name);
    known.set(name, is);
    return is;
  };
  const hasMark = ({ name, children }: XmlElement): boolean =>
    isMark(name) || children.some((child) => typeof child !== "string" && hasMark(child));
  return hasMark(root);
}

function settled(document: Document, keep: Keep): Document {
  let result = document;
  for (const name of document.parts.keys()) {
    // Texts: the document, headers, footers, notes.
    if (
      !isXml(name) ||
      (!/(^|\/)(document|header|footer|footnotes|endnotes|comments)[^/]*\.xml$/i.test(name) &&
        name !== document.main)
    )
      continue;
    const root = treeOf(document, name);
    if (isTracked(root)) result = withTree(result, name, settle(root, keep));
  }
  return result;
}
