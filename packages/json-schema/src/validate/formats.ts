import * as Format from "typebox/format";

// The build puts these functions of the library into dist/validate/formats.js, so that nobody installs its 1,400 files.

/** Does a text have the format? By the formats' names in JSON Schema. */
export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map<
  string,
  (text: string) => boolean
>([
  ["date", (text) => Format.IsDate(text)],
  ["date-time", (text) => Format.IsDateTime(text)],
  ["duration", (text) => Format.IsDuration(text)],
  ["email", (text) => Format.IsEmail(text)],
  ["hostname", (text) => Format.IsHostname(text)],
  ["idn-email", (text) => Format.IsIdnEmail(text)],
  ["idn-hostname", (text) => Format.IsIdnHostname(text)],
  ["ipv4", (text) => Format.IsIPv4(text)],
  ["ipv6", (text) => Format.IsIPv6(text)],
  ["iri", (text) => Format.IsIri(text)],
  ["iri-reference", (text) => Format.IsIriReference(text)],
  ["json-pointer", (text) => Format.IsJsonPointer(text)],
  ["regex", (text) => Format.IsRegex(text)],
  ["relative-json-pointer", (text) => Format.IsRelativeJsonPointer(text)],
  ["time", (text) => Format.IsTime(text)],
  ["uri", (text) => Format.IsUri(text)],
  ["uri-reference", (text) => Format.IsUriReference(text)],
  ["uri-template", (text) => Format.IsUriTemplate(text)],
  ["uuid", (text) => Format.IsUuid(text)],
]);
