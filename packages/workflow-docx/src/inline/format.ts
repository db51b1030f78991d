import { brief } from "../brief.js";
import { childOf, element, withChildren, type XmlElement, xmlText } from "../xml/index.js";

/** What a spelling checker needs, and no reader sees. */
const UNSEEN = new Set(["w:lang", "w:noProof"]);

const keys = new WeakMap<XmlElement, string>();

/** Equal for two formats that look the same. Properties of runs are few and used by many runs. */
export function formatKey(format: XmlElement | null): string {
  if (format === null) return "";
  const known = keys.get(format);
  if (known !== undefined) return known;
  const seen = format.children.filter((child) => typeof child !== "string" && !UNSEEN.has(child.name));
  const key = seen.length === 0 ? "" : brief(xmlText(withChildren(format, seen)));
  keys.set(format, key);
  return key;
}

/** Properties that the standard puts before `w:b`. */
const BEFORE_BOLD = new Set(["w:rStyle", "w:rFonts"]);

export function boldOf(format: XmlElement | null): XmlElement {
  const base = format ?? element("w:rPr", [], []);
  const bold = childOf(base, "w:b");
  if (bold !== null && bold.attributes.length === 0) return base;
  const others = base.children.filter((child) => typeof child === "string" || child.name !== "w:b");
  const place = others.findIndex((child) => typeof child !== "string" && !BEFORE_BOLD.has(child.name));
  const at = place === -1 ? others.length : place;
  return withChildren(base, [...others.slice(0, at), element("w:b", [], []), ...others.slice(at)]);
}
