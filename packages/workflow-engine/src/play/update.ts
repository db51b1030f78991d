import { isDeepStrictEqual } from "node:util";
import { isObject } from "@uncaged/json-cas";
import { type Document, isCollection, isMap, isScalar, parseDocument, stringify, type YAMLMap } from "yaml";

/** What a scenario lacks. */
export type Additions = {
  /** `null`: it has that. */
  readonly expect: readonly string[] | null;
  readonly end: string | null;
  /** By role. */
  readonly replies: ReadonlyMap<string, string>;
};

/** The keys that are added, as people would name them. */
export function namesOf({ expect, end, replies }: Additions): readonly string[] {
  const top = [expect === null ? [] : ["expect"], end === null ? [] : ["end"]].flat();
  return [...top, ...[...replies.keys()].map((role) => `roles.${role}`)];
}

/** A scenario that is not there yet. */
export function newScenarioText(workflow: string, additions: Additions): string {
  const head = `# Replies for \`uwf workflow test\` and \`uwf-mock\`: ${workflow}. Examples: put real ones in their place.\n`;
  return `${head}${topText(additions)}\n${rolesText(additions)}`;
}

function rolesText({ replies }: Additions): string {
  const texts = [...replies].map(([role, reply]) => indented(roleText(role, reply), "  "));
  return `roles:\n${texts.join("\n")}`;
}

/**
 * The text with what it lacks. Everything that is there stays as it is, to the character; only where that cannot be done
 * (a map in braces) is the text written anew, with its comments.
 */
export function withAdditions(text: string, additions: Additions): string {
  const document = parseDocument(text);
  const inserted = lacksRoles(document) ? append(text, additions) : insert(text, document, additions);
  const wanted = merged(document.toJS(), additions);
  const isRight = inserted !== null && isDeepStrictEqual(yamlValue(inserted), wanted);
  return isRight ? inserted : rewritten(document, additions);
}

/** `undefined` if it is no YAML. */
function yamlValue(text: string): unknown {
  const document = parseDocument(text);
  return document.errors.length > 0 ? undefined : document.toJS();
}

function merged(value: unknown, { expect, end, replies }: Additions): unknown {
  const given = isObject(value) ? value : {};
  const roles = isObject(given.roles) ? given.roles : {};
  const added = [...replies].map(([role, reply]) => [role, [{ reply }]]);
  return {
    ...given,
    ...(expect === null ? {} : { expect }),
    ...(end === null ? {} : { end }),
    roles: { ...roles, ...Object.fromEntries(added) },
  };
}

/** A scenario that is about to get its first reply may even be empty. */
function lacksRoles({ contents }: Document): boolean {
  return (
    contents === null ||
    (isScalar(contents) && contents.value === null) ||
    (isMap(contents) && (contents.get("roles") ?? null) === null)
  );
}

function append(given: string, additions: Additions): string {
  const text = given.replace(/^roles:[^\S\n]*(?:\n|$)/m, "");
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const glue = text === "" || text.endsWith("\n") ? "" : newline;
  const gap = text.trim() === "" ? "" : newline;
  const roles = additions.replies.size === 0 ? "" : rolesText(additions);
  return text + glue + gap + `${topText(additions)}${roles}`.replaceAll("\n", newline);
}

/** Top-level keys before the first one, roles after the last one; `null`: there is no such place. */
function insert(text: string, document: Document, additions: Additions): string | null {
  const root = document.contents;
  const roles = isMap(root) ? root.get("roles", true) : null;
  if (!isMap(root) || !isMap(roles)) return null;
  const top = indentOf(text, root);
  const below = indentOf(text, roles);
  if (top === null || below === null) return null;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = (added: string): string => added.replaceAll("\n", newline);
  const head = topText(additions);
  const topPart = head === "" ? "" : lines(`${indented(head, top.indent)}\n`);
  const at = endOfLine(text, roles.range?.[1] ?? text.length);
  const before = text.slice(top.at, at);
  const glue = before.endsWith("\n") ? "" : newline;
  const parts = [...additions.replies].map(
    ([role, reply]) => newline + lines(indented(roleText(role, reply), below.indent)),
  );
  const added = parts.length === 0 ? "" : glue + parts.join("");
  return text.slice(0, top.at) + topPart + before + added + text.slice(at);
}

/** Where a map in block style begins its first line, and how far its keys are indented. */
function indentOf(text: string, map: YAMLMap): { readonly at: number; readonly indent: string } | null {
  const key = map.items[0]?.key;
  const start = isScalar(key) || isCollection(key) ? key.range?.[0] : undefined;
  if (start === undefined) return null;
  const at = text.lastIndexOf("\n", start - 1) + 1;
  const indent = text.slice(at, start);
  return /^ *$/.test(indent) ? { at, indent } : null;
}

/** The beginning of the next line. A block of text may have ended there already. */
function endOfLine(text: string, offset: number): number {
  if (text[offset - 1] === "\n") return offset;
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end + 1;
}

function topText({ expect, end }: Additions): string {
  const lines = expect === null ? "" : expectText(expect);
  return end === null ? lines : `${lines}end: ${end}\n`;
}

/** Characters of a line. */
const WIDEST = 118;

function expectText(expect: readonly string[]): string {
  const line = `expect: [${expect.join(", ")}]\n`;
  return line.length <= WIDEST ? line : `expect:\n${expect.map((role) => `  - ${role}\n`).join("")}`;
}

function roleText(role: string, reply: string): string {
  return stringify({ [role]: [{ reply }] }, { lineWidth: 0, blockQuote: "literal" });
}

function indented(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}

function rewritten(document: Document, { expect, end, replies }: Additions): string {
  if (expect !== null) document.setIn(["expect"], document.createNode(expect));
  if (end !== null) document.setIn(["end"], end);
  if (isMap(document.contents) && document.getIn(["roles"]) === null) document.deleteIn(["roles"]);
  for (const [role, reply] of replies) document.setIn(["roles", role], document.createNode([{ reply }]));
  return document.toString({ lineWidth: 0 });
}
