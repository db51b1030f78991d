import { attribute, elementsOf, localName, type XmlElement } from "../xml/index.js";

/** What a part refers to by an id. `target` of an internal one is the name of a part. */
export type Relationship = {
  readonly id: string;
  /** The address that says what kind it is; `kind` is its last word (`image`, `hyperlink`). */
  readonly type: string;
  readonly kind: string;
  readonly target: string;
  readonly isExternal: boolean;
};

/** `word/document.xml` → `word/_rels/document.xml.rels`; of the package itself: `""`. */
export function relationshipsPart(part: string): string {
  const slash = part.lastIndexOf("/") + 1;
  return `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
}

/** `word/_rels/document.xml.rels` → `word/document.xml`. */
export function sourceOf(relationships: string): string {
  return relationships.replace(/(^|\/)_rels\/([^/]*)\.rels$/, "$1$2");
}

export function parseRelationships(root: XmlElement, part: string): readonly Relationship[] {
  const source = sourceOf(part);
  return elementsOf(root)
    .filter((one) => localName(one) === "Relationship")
    .map((one) => {
      const type = attribute(one, "Type") ?? "";
      const target = attribute(one, "Target") ?? "";
      const isExternal = (attribute(one, "TargetMode") ?? "").toLowerCase() === "external";
      return {
        id: attribute(one, "Id") ?? "",
        type,
        kind: type.slice(type.lastIndexOf("/") + 1),
        target: isExternal ? target : resolvePart(source, target),
        isExternal,
      };
    });
}

/** The name of a part that a relationship of `source` leads to. */
function resolvePart(source: string, target: string): string {
  const from = target.startsWith("/") ? [] : source.split("/").slice(0, -1);
  const path = [...from];
  for (const step of target.split("/")) {
    if (step === "..") path.pop();
    else if (step !== "" && step !== ".") path.push(step);
  }
  return path.join("/");
}

/** How a relationship of `source` names a part: relative, as word processors do. */
export function targetFrom(source: string, part: string): string {
  const folder = source.slice(0, source.lastIndexOf("/") + 1);
  return folder !== "" && part.startsWith(folder) ? part.slice(folder.length) : `/${part}`;
}
