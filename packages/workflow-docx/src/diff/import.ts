import {
  CONTENT_TYPES,
  contentTypeOf,
  type Document,
  type Relationship,
  relatedPart,
  relationshipsOf,
  relationshipsPart,
  targetFrom,
  treeOf,
  withContentType,
  withPart,
  withTree,
} from "../document.js";
import {
  attribute,
  attributesOf,
  childOf,
  childrenOf,
  element,
  elementsOf,
  isElement,
  visit,
  withAttribute,
  withChildren,
  type XmlElement,
} from "../xml.js";
import { listsOf, NOTES, noteOf, relationshipKey } from "./side.js";

/** Brings what deleted content of the old document refers to into the new one: pictures, links, notes, styles, lists. */
export type Importer = {
  /** An element of the old document as the new one can have it. */
  readonly bring: (node: XmlElement) => XmlElement;
  /** The new document with everything that `bring` was asked for. */
  readonly finish: () => Document;
};

/** A part that the new document may lack. */
const PARTS = ["styles", "numbering", "footnotes", "endnotes"] as const;
type PartKind = (typeof PARTS)[number];

const STYLED = new Set(["w:pStyle", "w:rStyle", "w:tblStyle"]);

export function importerInto(now: Document, old: Document): Importer {
  let result = now;
  const ids = new Map<string, string>();
  const lists = new Map<string, string>();
  const styles = new Set<string>();
  const oldRelations = relationshipsOf(old, old.main);
  const [oldList, newList] = [listsOf(old), listsOf(now)];
  const brought = new Map<string, string>();
  /** Notes that `finish` adds to a part, all at once: each time, the whole part is written. */
  const notes = new Map<string, { readonly first: number; readonly added: XmlElement[] }>();

  const bring = (node: XmlElement): XmlElement => {
    let attributes = node.attributes;
    for (const [name, value] of attributesOf(node)) {
      const other = replacement(node, name, value);
      if (other !== value) attributes = withAttribute({ ...node, attributes }, name, other).attributes;
    }
    if (STYLED.has(node.name)) styles.add(attribute(node, "w:val") ?? "");
    const children = node.children.map((child) => (isElement(child) ? bring(child) : child));
    return { name: node.name, attributes, children };
  };

  function replacement(node: XmlElement, name: string, value: string): string {
    if (name.startsWith("r:")) {
      const related = oldRelations.get(value);
      return related === undefined ? value : relationId(related, result.main);
    }
    const kind = NOTES[node.name];
    if (kind !== undefined && name === "w:id") return noteId(kind, value);
    if (node.name === "w:numId" && name === "w:val") return listId(value);
    return value;
  }

  /** By which id `part` of the new document refers to what the old document refers to. */
  function relationId(related: Relationship, part: string): string {
    const what = relationshipKey(related, old);
    const key = `${part} ${what}`;
    const known = ids.get(key);
    if (known !== undefined) return known;
    for (const one of relationshipsOf(result, part).values())
      if (relationshipKey(one, result) === what) return remember(ids, key, one.id);
    const target = related.isExternal ? related.target : copyPart(related.target);
    return remember(ids, key, addRelation(part, related, target));
  }

  function addRelation(source: string, { type, isExternal }: Relationship, target: string): string {
    const part = relationshipsPart(source);
    const empty = element(
      "Relationships",
      ["xmlns", "http://schemas.openxmlformats.org/package/2006/relationships"],
      [],
    );
    const root = result.parts.has(part) ? treeOf(result, part) : empty;
    const taken = new Set(root.children.map((one) => (isElement(one) ? attribute(one, "Id") : null)));
    const id = firstFree(
      (number) => `rIdOld${number}`,
      (one) => taken.has(one),
    );
    const prefix = root.name.slice(0, root.name.indexOf(":") + 1);
    const mode = isExternal ? ["TargetMode", "External"] : [];
    const written = isExternal ? target : targetFrom(source, target);
    const line = element(`${prefix}Relationship`, ["Id", id, "Type", type, "Target", written, ...mode], []);
    result = withTree(result, part, withChildren(root, [...root.children, line]));
    return id;
  }

  /** A part of the old document with all that it refers to, under a name that is free. */
  function copyPart(name: string): string {
    const known = brought.get(name);
    const content = old.parts.get(name);
    if (known !== undefined || content === undefined) return known ?? name;
    const slash = name.lastIndexOf("/") + 1;
    const free = firstFree(
      (number) => `${name.slice(0, slash)}old${number}-${name.slice(slash)}`,
      (one) => result.parts.has(one),
    );
    const target = result.parts.has(name) ? free : name;
    brought.set(name, target);
    result = withPart(result, target, content);
    const type = contentTypeOf(treeOf(old, CONTENT_TYPES), name);
    if (type !== null)
      result = withTree(result, CONTENT_TYPES, withContentType(treeOf(result, CONTENT_TYPES), target, type));
    const relations = relationshipsPart(name);
    if (old.parts.has(relations)) {
      const lines = [...relationshipsOf(old, name).values()].map((one) => {
        const to = one.isExternal ? one.target : targetFrom(target, copyPart(one.target));
        return element(
          "Relationship",
          [
            "Id",
            one.id,
            "Type",
            one.type,
            "Target",
            to,
            ...(one.isExternal ? ["TargetMode", "External"] : []),
          ],
          [],
        );
      });
      const namespace = ["xmlns", "http://schemas.openxmlformats.org/package/2006/relationships"];
      result = withTree(result, relationshipsPart(target), element("Relationships", namespace, lines));
    }
    return target;
  }

  /** The new document's part of a kind; the old document's if it has none. */
  function partOf(kind: PartKind): string | null {
    const own = relatedPart(result, kind);
    if (own !== null) return own;
    const related = [...oldRelations.values()].find((one) => one.kind === kind && !one.isExternal);
    if (related === undefined || !old.parts.has(related.target)) return null;
    const target = copyPart(related.target);
    addRelation(result.main, related, target);
    return target;
  }

  function noteId(kind: "footnotes" | "endnotes", id: string): string {
    const key = `${kind} ${id}`;
    const note = noteOf(old, kind, id);
    const known = ids.get(key);
    if (known !== undefined || note === null) return known ?? id;
    const [part, source] = [partOf(kind), relatedPart(old, kind)];
    // A part that has been brought as a whole has the same numbers.
    if (part === null || source === null || relatedPart(now, kind) === null) return remember(ids, key, id);
    const relations = relationshipsOf(old, source);
    const related = (node: XmlElement): XmlElement => {
      const attributes = attributesOf(node).flatMap(([name, value]) => {
        const one = name.startsWith("r:") ? relations.get(value) : undefined;
        return [name, one === undefined ? value : relationId(one, part)];
      });
      return {
        name: node.name,
        attributes,
        children: node.children.map((one) => (isElement(one) ? related(one) : one)),
      };
    };
    const pending = notes.get(part) ?? { first: firstFreeNote(treeOf(result, part)), added: [] };
    notes.set(part, pending);
    const free = String(pending.first + pending.added.length);
    pending.added.push(withAttribute(related(note), "w:id", free));
    return remember(ids, key, free);
  }

  /** The same number where it is the same list, else a new list with the old definition. */
  function listId(number: string): string {
    const known = lists.get(number);
    if (known !== undefined) return known;
    if (number === "0" || oldList(number) === newList(number)) return remember(lists, number, number);
    const [part, source] = [partOf("numbering"), relatedPart(old, "numbering")];
    if (part === null || source === null || relatedPart(now, "numbering") === null)
      return remember(lists, number, number);
    const [root, from] = [treeOf(result, part), treeOf(old, source)];
    const list = childrenOf(from, "w:num").find((one) => attribute(one, "w:numId") === number);
    const reference = list === undefined ? null : childOf(list, "w:abstractNumId");
    const abstract = childrenOf(from, "w:abstractNum").find(
      (one) => reference !== null && attribute(one, "w:abstractNumId") === attribute(reference, "w:val"),
    );
    if (list === undefined || reference === null || abstract === undefined)
      return remember(lists, number, number);
    const freeIn = (name: string, id: string): string => {
      const taken = new Set(childrenOf(root, name).map((one) => attribute(one, id)));
      return firstFree(String, (one) => taken.has(one));
    };
    const [abstractId, numId] = [freeIn("w:abstractNum", "w:abstractNumId"), freeIn("w:num", "w:numId")];
    const pointing = list.children.map((one) =>
      one === reference ? withAttribute(reference, "w:val", abstractId) : one,
    );
    const own = withChildren(withAttribute(list, "w:numId", numId), pointing);
    // Definitions come before lists, and nothing but one element after both.
    const firstList = root.children.findIndex((one) => isElement(one) && one.name === "w:num");
    const at = firstList === -1 ? root.children.length : firstList;
    const lastList = root.children.findLastIndex((one) => isElement(one) && one.name === "w:num");
    const end = lastList === -1 ? at : lastList + 1;
    const children = [
      ...root.children.slice(0, at),
      withAttribute(abstract, "w:abstractNumId", abstractId),
      ...root.children.slice(at, end),
      own,
      ...root.children.slice(end),
    ];
    result = withTree(result, part, withChildren(root, children));
    return remember(lists, number, numId);
  }

  /** Styles that the new document lacks, with those that they are based on. */
  function copyStyles(): void {
    const source = relatedPart(old, "styles");
    if (source === null || styles.size === 0) return;
    const part = partOf("styles");
    if (part === null) return;
    const root = treeOf(result, part);
    const idOf = (one: XmlElement): string => attribute(one, "w:styleId") ?? "";
    const had = new Set(childrenOf(root, "w:style").map(idOf));
    const all = new Map(childrenOf(treeOf(old, source), "w:style").map((one) => [idOf(one), one]));
    const wanted = new Map<string, XmlElement>();
    const want = (id: string): void => {
      const style = all.get(id);
      if (style === undefined || had.has(id) || wanted.has(id)) return;
      wanted.set(id, style);
      visit(style, (one) => {
        if (/^w:(basedOn|link|next)$/.test(one.name)) want(attribute(one, "w:val") ?? "");
      });
    };
    for (const id of styles) want(id);
    if (wanted.size > 0)
      result = withTree(result, part, withChildren(root, [...root.children, ...wanted.values()]));
  }

  return {
    bring,
    finish: () => {
      copyStyles();
      for (const [part, { added }] of notes) {
        const root = treeOf(result, part);
        result = withTree(result, part, withChildren(root, [...root.children, ...added]));
      }
      return result;
    },
  };
}

function firstFreeNote(root: XmlElement): number {
  let most = 0;
  for (const one of elementsOf(root)) {
    const id = Number.parseInt(attribute(one, "w:id") ?? "", 10);
    if (id > most && id < 1_000_000_000) most = id;
  }
  return most + 1;
}

function remember(map: Map<string, string>, key: string, value: string): string {
  map.set(key, value);
  return value;
}

function firstFree(name: (number: number) => string, isTaken: (name: string) => boolean): string {
  let number = 1;
  while (isTaken(name(number))) number++;
  return name(number);
}
