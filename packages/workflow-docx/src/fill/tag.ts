import { refuse } from "../fault.js";

const NAME = /^[\p{L}\p{N}_$](?:[\p{L}\p{N}\p{M}_$ -]*[\p{L}\p{N}\p{M}_$])?$/u;

/** Refuses what is neither a value nor a loop nor a condition: raw XML, and tags of the library's other modules. */
export function assertTag(tag: string): void {
  if (tag.startsWith("@")) refuse("DOCX_TEMPLATE_RAW", { tag });
  // Two braces in a row; what is wrong there the library knows better.
  if (tag === "") return;
  const [, mark, name = ""] = /^([#^/]?)(.*)$/s.exec(tag) ?? [];
  if (mark === "/" && name === "") return;
  if (name !== "." && !pathOf(name).every((segment) => NAME.test(segment)))
    refuse("DOCX_TEMPLATE_KIND", { tag });
}

/** `customer.name` → customer, name. */
export function pathOf(name: string): readonly string[] {
  return name.split(".").map((segment) => segment.trim());
}
