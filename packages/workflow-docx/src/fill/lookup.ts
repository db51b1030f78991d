import { isObject, type JsonValue } from "@uncaged/json-schema";
import type { DXT } from "docxtemplater";
import { refuse } from "../fault.js";
import { LIMITS } from "../limits.js";
import type { Document } from "../package/index.js";
import { isXmlText } from "../xml/index.js";
import { pathOf } from "./tag.js";

/** What a tag or a pass of a loop is counted as besides its text, in characters: the time and the memory that it takes. */
const STEP = 100;

/** Finds the values of a template's tags, from the innermost loop outwards. Throws `Refused`. */
export function lookupIn(template: Document): (tag: string) => DXT.Parser {
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
