import { type Case, invalid, valid } from "./case.js";

const as = (format: string) => ({ format });

export const FORMATS: readonly Case[] = [
  valid("a date is a day of the calendar", as("date"), "2024-02-29"),
  invalid("a date is no day that the year does not have", as("date"), "2023-02-29", "format"),
  invalid("a date has two digits for the month", as("date"), "2024-2-29", "format"),
  invalid("a date has a month from 1 to 12", as("date"), "2024-13-01", "format"),
  invalid("a date has no 31st of April", as("date"), "2024-04-31", "format"),
  invalid("a date is no date and time", as("date"), "2024-02-29T00:00:00Z", "format"),
  valid("a date says nothing of a number", as("date"), 20240229),
  valid("a date says nothing of null", as("date"), null),

  valid("a date and time is in UTC", as("date-time"), "2025-12-31T23:59:59Z"),
  valid("a date and time has an offset", as("date-time"), "2025-12-31T23:59:59.123+05:30"),
  invalid("a date and time without an offset is none", as("date-time"), "2025-12-31T23:59:59", "format"),
  invalid("a date and time has hours below 24", as("date-time"), "2025-12-31T24:00:00Z", "format"),
  invalid("a date alone is no date and time", as("date-time"), "2025-12-31", "format"),
  invalid("a date and time in words is none", as("date-time"), "tomorrow at noon", "format"),

  valid("a time has an offset", as("time"), "08:30:06Z"),
  invalid("a time without an offset is none", as("time"), "08:30:06", "format"),
  invalid("a time has minutes below 60", as("time"), "08:60:06Z", "format"),

  valid("a duration has days and hours", as("duration"), "P4DT12H30M5S"),
  valid("a duration may be in weeks", as("duration"), "P2W"),
  invalid("a duration without a part is none", as("duration"), "P", "format"),
  invalid("a duration without a P is none", as("duration"), "4D", "format"),

  valid("an e-mail address has a name and a host", as("email"), "ada@example.org"),
  invalid("an e-mail address without a host is none", as("email"), "ada@", "format"),
  invalid("an e-mail address without an at sign is none", as("email"), "ada.example.org", "format"),
  valid("an international e-mail address has letters of any script", as("idn-email"), "実例@実例.テスト"),
  invalid("an international e-mail address still has an at sign", as("idn-email"), "実例", "format"),

  valid("a host name has letters, digits and dots", as("hostname"), "www.example-1.com"),
  invalid("a host name does not begin with a hyphen", as("hostname"), "-a.example", "format"),
  invalid("a host name has no low line", as("hostname"), "a_b.example", "format"),
  invalid(
    "a label of a host name has 63 characters at most",
    as("hostname"),
    `${"a".repeat(64)}.com`,
    "format",
  ),
  valid("an international host name has letters of any script", as("idn-hostname"), "실례.테스트"),

  valid("an IPv4 address has four numbers", as("ipv4"), "192.168.0.1"),
  invalid("an IPv4 address has no five numbers", as("ipv4"), "1.2.3.4.5", "format"),
  invalid("an IPv4 address has numbers up to 255", as("ipv4"), "256.0.0.1", "format"),
  invalid("an IPv4 address has no leading zeros", as("ipv4"), "087.10.0.1", "format"),
  valid("an IPv6 address may be shortened", as("ipv6"), "::1"),
  valid("an IPv6 address may end in an IPv4 one", as("ipv6"), "::ffff:192.168.0.1"),
  invalid("an IPv6 address is shortened once", as("ipv6"), "1::2::3", "format"),
  invalid("an IPv6 address has hexadecimal digits", as("ipv6"), "::g", "format"),
  invalid("an IPv6 address has no zone", as("ipv6"), "fe80::a%eth1", "format"),

  valid("a URI has a scheme", as("uri"), "https://example.org/a?b=c#d"),
  valid("a URN is a URI", as("uri"), "urn:isbn:0451450523"),
  invalid("a relative reference is no URI", as("uri"), "/a/b", "format"),
  invalid("a URI has no space", as("uri"), "https://example.org/a b", "format"),
  valid("a relative reference is a URI reference", as("uri-reference"), "../a/b#c"),
  invalid("a URI reference has no backslash", as("uri-reference"), "\\\\windows\\share", "format"),
  valid("an IRI has letters of any script", as("iri"), "https://例え.jp/größe"),
  invalid("a relative reference is no IRI", as("iri"), "größe", "format"),
  valid("a relative reference is an IRI reference", as("iri-reference"), "größe"),
  valid("a URI template has expressions in braces", as("uri-template"), "https://example.org/{user}{?page}"),
  invalid("a URI template closes its braces", as("uri-template"), "https://example.org/{user", "format"),

  valid("a UUID has five groups", as("uuid"), "2eb8aa08-aa98-11ea-b4aa-73b441d16380"),
  valid("a UUID may be in upper case", as("uuid"), "2EB8AA08-AA98-11EA-B4AA-73B441D16380"),
  invalid("a UUID has all its hyphens", as("uuid"), "2eb8aa08aa9811eab4aa73b441d16380", "format"),
  invalid("a UUID has hexadecimal digits", as("uuid"), "2eb8aa08-aa98-11ea-b4aa-73b441d1638g", "format"),

  valid("a JSON Pointer begins with a slash", as("json-pointer"), "/a/0/~1b"),
  valid("the empty text is a JSON Pointer", as("json-pointer"), ""),
  invalid("a JSON Pointer has no tilde without 0 or 1", as("json-pointer"), "/a~2", "format"),
  invalid("a JSON Pointer does not begin with a name", as("json-pointer"), "a/b", "format"),
  valid("a relative JSON Pointer begins with a number", as("relative-json-pointer"), "1/a"),
  valid("a relative JSON Pointer may end with #", as("relative-json-pointer"), "0#"),
  invalid("a relative JSON Pointer does not begin with a slash", as("relative-json-pointer"), "/a", "format"),

  valid("a regular expression is one", as("regex"), "^(a|b)+$"),
  invalid("a regular expression closes its groups", as("regex"), "^(a|b", "format"),

  invalid(
    "a format of a member is told there",
    { properties: { at: as("date") } },
    { at: "soon" },
    "/at format",
  ),
  invalid("a format counts beside a length", { format: "date", maxLength: 3 }, "soon", "maxLength", "format"),
  valid("a format says nothing of an array of texts", as("uuid"), ["x"]),
];
