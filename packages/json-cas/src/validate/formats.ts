import * as Format from "typebox/format";
import { isHash } from "../hash/index.js";

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["cas_ref", isHash],
  ["date", Format.IsDate],
  ["date-time", Format.IsDateTime],
  ["duration", Format.IsDuration],
  ["email", Format.IsEmail],
  ["hostname", Format.IsHostname],
  ["idn-email", Format.IsIdnEmail],
  ["idn-hostname", Format.IsIdnHostname],
  ["ipv4", Format.IsIPv4],
  ["ipv6", Format.IsIPv6],
  ["iri", Format.IsIri],
  ["iri-reference", Format.IsIriReference],
  ["json-pointer", Format.IsJsonPointer],
  ["regex", Format.IsRegex],
  ["relative-json-pointer", Format.IsRelativeJsonPointer],
  ["time", Format.IsTime],
  ["uri", Format.IsUri],
  ["uri-reference", Format.IsUriReference],
  ["uri-template", Format.IsUriTemplate],
  ["uuid", Format.IsUuid],
]);

/** The formats that are checked; a schema with another one is refused. */
export const FORMAT_NAMES: readonly string[] = [...FORMATS.keys()];

/** Does the text have the format? An unknown format (in a foreign schema) is an annotation. */
export function hasFormat(name: string, text: string): boolean {
  const test = FORMATS.get(name);
  if (test === undefined) return true;
  try {
    return test(text);
  } catch {
    // Some of the library's expressions run out of stack on very long texts, and no such text is an address or a date.
    return false;
  }
}
