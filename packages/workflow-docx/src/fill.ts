import { copyJson, err, isObject, type JsonObject, type JsonValue, type Result } from "@uncaged/json-schema";
import type { DXT } from "docxtemplater";
import { CONTENT_TYPES, type Document, openDocument, saveDocument, treeOf, withPart } from "./document.js";
import { type DocxFault, docxFault, Refused, refuse } from "./fault.js";
import { LIMITS } from "./limits.js";
import { isXmlText } from "./parse-xml.js";
import { writeXml } from "./xml.js";
import { isXml } from "./zip.js";

/**
 * The template with `data` in the place of its tags: `{name}`, `{customer.name}`, `{#items}…{/items}` for each item of a
 * list or if there is something, `{^items}…{/items}` if there is nothing. Ends of lines in values are kept. Every tag
 * needs a value.
 */
export async function fillTemplate(
  template: Document,
  data: Readonly<Record<string, unknown>>,
): Promise<Result<Document, DocxFault>> {
  const copied = copyJson(data);
  if (!copied.ok) return err(docxFault("DOCX_TEMPLATE_DATA", copied.error));
  // Half a megabyte of code, which nothing else here needs.
  const [{ default: Docxtemplater }, { default: PizZip }] = await Promise.all([
    import("docxtemplater"),
    import("pizzip"),
  ]);
  const zip = new PizZip();
  // What the library reads is what our parser has read: it sees neither comments nor character data sections.
  for (const name of template.parts.keys())
    if (isXml(name)) zip.file(name, Buffer.from(writeXml(treeOf(template, name))));
  const filled = new Set<string>();
  try {
    const library = new Docxtemplater(zip, {
      errorLogging: false,
      linebreaks: true,
      paragraphLoop: true,
      syntax: { changeDelimiterPrefix: null },
      parser: lookupIn(template),
      nullGetter: (part, { scopeList }) => missing(part.value, scopeList),
      modules: [tagModule((part) => filled.add(part))],
    });
    library.render(copied.value as JsonObject);
  } catch (error) {
    if (error instanceof Refused) return err(error.fault);
    return err(templateFault(error));
  }
  let document = template;
  for (const name of filled)
    document = withPart(document, name, Buffer.from(zip.files[name]?.asText() ?? ""));
  return openDocument(saveDocument(asDocument(document)));
}

/** Looks at every tag before any module of the library does. */
function tagModule(seen: (part: string) => void): DXT.Module {
  return {
    name: "uwf",
    matchers: (({ filePath }: { readonly filePath: string }) => [
      [
        (tag: string) => {
          assertTag(tag);
          seen(filePath);
          return false;
        },
        "uwf",
        {},
      ],
    ]) as unknown as NonNullable<DXT.Module["matchers"]>,
  };
}

/** A word processor does not open a .docx file that says that it is a template. */
function asDocument(document: Document): Document {
  const types = Buffer.from(document.parts.get(CONTENT_TYPES) ?? []).toString();
  const changed = types.replaceAll(
    "wordprocessingml.template.main+xml",
    "wordprocessingml.document.main+xml",
  );
  return types === changed ? document : withPart(document, CONTENT_TYPES, Buffer.from(changed));
}

/** What a tag or a pass of a loop is counted as besides its text, in characters: the time and the memory that it takes. */
const STEP = 100;

/** Finds the values of a template's tags, from the innermost loop outwards. Throws `Refused`. */
function lookupIn(template: Document): (tag: string) => DXT.Parser {
  let written = template.parts.get(template.main)?.length ?? 0;
  const count = (characters: number): void => {
    written += characters;
    if (written > LIMITS.xml) refuse("DOCX_TEMPLATE_LARGE", { limit: LIMITS.xml });
  };
  const parserOf = (tag: string): DXT.Parser => ({
    get: (scope: JsonValue, { num, scopeList, meta: { part } }) => {
      const isLoop = part.module === "loop";
      const found = valueAt(scope, tag);
      if (found === undefined) return num === 0 && isLoop ? missing(tag, scopeList) : undefined;
      if (isLoop) {
        const times = Array.isArray(found) ? found.length : 1;
        count(times * (STEP + sizeOf(part)) + STEP);
        // The library would look for it further out.
        return found ?? false;
      }
      const text = textOf(tag, found);
      count(text.length + STEP);
      return text;
    },
  });
  return (tag) => (tag === "" ? refuse("DOCX_TEMPLATE_KIND", { tag }) : parserOf(tag));
}

/** `undefined`: there is none here. */
function valueAt(scope: JsonValue, tag: string): JsonValue | undefined {
  if (tag.trim() === ".") return scope;
  const [first = "", ...others] = pathOf(tag);
  if (!isObject(scope) || !Object.hasOwn(scope, first)) return undefined;
  let value = scope[first];
  for (const name of others) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Refuses a tag with the names that there are in its place. */
export function missing(tag: string, scopes: readonly JsonValue[]): never {
  const path = pathOf(tag);
  for (let length = path.length - 1; length > 0; length--) {
    const near = scopes.map((scope) => valueAt(scope, path.slice(0, length).join("."))).findLast(isObject);
    if (near !== undefined) refuse("DOCX_TEMPLATE_VALUE", { tag, names: Object.keys(near) });
  }
  const names = scopes.flatMap((scope) => (isObject(scope) ? Object.keys(scope) : []));
  return refuse("DOCX_TEMPLATE_VALUE", { tag, names: [...new Set(names)] });
}

function textOf(tag: string, value: JsonValue): string {
  if (typeof value === "object")
    return refuse("DOCX_TEMPLATE_TEXT", {
      tag,
      kind: value === null ? "null" : Array.isArray(value) ? "a list" : "an object",
    });
  const text = String(value).replace(/\r\n?/g, "\n");
  if (!isXmlText(text)) refuse("DOCX_TEMPLATE_CHARACTER", { tag });
  return text;
}

const sizes = new WeakMap<DXT.Part, number>();

/** Characters of what stands in a loop, without the loops in it. */
function sizeOf(loop: DXT.Part): number {
  const known = sizes.get(loop);
  if (known !== undefined) return known;
  const size = (loop.subparsed ?? []).reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
  sizes.set(loop, size);
  return size;
}

const NAME = /^[\p{L}\p{N}_$](?:[\p{L}\p{N}\p{M}_$ -]*[\p{L}\p{N}\p{M}_$])?$/u;

/** Refuses what is neither a value nor a loop nor a condition: raw XML, and tags of the library's other modules. */
function assertTag(tag: string): void {
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

/** What the library says of a problem. It has a message for each, for programmers. */
type Problem = {
  readonly id: string;
  readonly xtag: string;
  readonly explanation: string;
  /** Of a loop that another tag closes. */
  readonly closingtag: string;
  readonly openingtag: string;
  /** Of a loop that another one crosses. */
  readonly lastPair: { readonly left: string };
};

/** The first of the problems that the library has found, as a fault. What is none is thrown again. */
function templateFault(error: unknown): DocxFault {
  const [first] = causesOf(error);
  if (first instanceof Refused) return first.fault;
  const { id, xtag, explanation, openingtag, closingtag, lastPair } = propertiesOf(first) as Partial<Problem>;
  if (id === undefined) throw error;
  const tag = (xtag ?? "").trim();
  switch (id) {
    case "unclosed_tag":
      return docxFault("DOCX_TEMPLATE_UNCLOSED", { tag });
    case "unopened_tag":
      return docxFault("DOCX_TEMPLATE_UNOPENED", { tag });
    case "duplicate_open_tag":
    case "duplicate_close_tag":
      return docxFault("DOCX_TEMPLATE_DOUBLE", { tag });
    case "unclosed_loop":
      return docxFault("DOCX_TEMPLATE_LOOP_UNCLOSED", { tag });
    case "unopened_loop":
      return docxFault("DOCX_TEMPLATE_LOOP_UNOPENED", { tag });
    case "closing_tag_does_not_match_opening_tag":
      return docxFault("DOCX_TEMPLATE_LOOP_NAME", { tag: openingtag ?? "", other: closingtag ?? "" });
    case "loop_position_invalid":
    case "unbalanced_loop_tags":
      return docxFault("DOCX_TEMPLATE_LOOP_PLACE", { tag: xtag ?? lastPair?.left ?? "" });
    default:
      return docxFault("DOCX_TEMPLATE", { reason: explanation ?? id });
  }
}

/** An error of the library may stand for several, and have another in it. */
function causesOf(error: unknown): readonly unknown[] {
  const { errors, rootError } = propertiesOf(error);
  if (Array.isArray(errors)) return errors.flatMap(causesOf);
  return [rootError ?? error];
}

function propertiesOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error) || !("properties" in error) || !isObject(error.properties)) return {};
  return error.properties;
}
