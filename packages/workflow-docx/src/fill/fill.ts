import { copyJson, err, type JsonObject, type Result } from "@uncaged/json-schema";
import type { DXT } from "docxtemplater";
import { type DocxFault, docxFault, Refused } from "../fault.js";
import {
  CONTENT_TYPES,
  type Document,
  openDocument,
  saveDocument,
  treeOf,
  withPart,
} from "../package/index.js";
import { writeXml } from "../xml/index.js";
import { isXml } from "../zip/index.js";
import { lookupIn, missing } from "./lookup.js";
import { templateFault } from "./problem.js";
import { assertTag } from "./tag.js";

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
