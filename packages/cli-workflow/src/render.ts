import { renderYaml } from "@uncaged/workflow-engine";
import {
  ENV,
  err,
  type Fault,
  fault,
  hintOf,
  messageOf,
  ok,
  type Result,
  reportOf,
} from "@uncaged/workflow-protocol";
import { escapeControls, sanitizeTerminal } from "@uncaged/workflow-util";

export type Format = "json" | "yaml";
export type ErrorFormat = "text" | "json";

/** One document as text with a final newline. The library for YAML is loaded only when it is asked for. */
export async function renderDocument(value: unknown, format: Format): Promise<string> {
  if (format === "json") return `${escapeControls(JSON.stringify(value, null, 2))}\n`;
  return renderYaml(value);
}

/**
 * How failures are printed; determined before parsing, because the command line itself may be the failure. A wrong
 * value on the command line is refused by the parser; a wrong value in the environment would go unnoticed, and a
 * script that relies on JSON would get text.
 */
export function errorFormatOf(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Result<ErrorFormat, Fault> {
  const index = argv.lastIndexOf("--error-format");
  const given =
    index === -1 ? argv.find((word) => word.startsWith("--error-format="))?.slice(15) : argv[index + 1];
  if (given !== undefined) return ok(given === "json" ? "json" : "text");
  const usual = env[ENV.errorFormat] || "text";
  return usual === "json" || usual === "text" ? ok(usual) : refused(usual);
}

function refused(value: string): Result<never, Fault> {
  const reason = `${ENV.errorFormat} is ${JSON.stringify(value)}, it must be text or json`;
  return err(fault("USAGE", { reason, usage: `set ${ENV.errorFormat} to text or json, or unset it` }));
}

/** What a failure prints on stderr. It may contain text from agents, so terminal codes are removed. */
export function renderFault(fault: Fault, format: ErrorFormat): string {
  if (format === "json") return `${escapeControls(JSON.stringify(reportOf(fault)))}\n`;
  return sanitizeTerminal(`error[${fault.code}]: ${messageOf(fault)}\nhint: ${hintOf(fault)}\n`);
}

/** A list as text, piece by piece: for one that is larger than memory. */
export type ItemRenderer = {
  /** The next item and the separator before it. */
  readonly item: (value: unknown) => Promise<string>;
  /** What follows the last item. */
  readonly end: () => string;
};

/** Together the pieces equal `renderDocument` of the complete list. */
export function listRenderer(format: Format): ItemRenderer {
  let count = 0;
  const item = async (value: unknown): Promise<string> => {
    count += 1;
    if (format === "yaml") return renderDocument([value], "yaml");
    // As far inside as it is in the list, without the brackets.
    const text = JSON.stringify([value], null, 2).slice(1, -2);
    return `${count === 1 ? "[" : ","}${escapeControls(text)}`;
  };
  const end = (): string => {
    if (count === 0) return "[]\n";
    return format === "yaml" ? "" : "\n]\n";
  };
  return { item, end };
}

/** An endless list, each item printed as soon as it exists: one line of JSON, or one YAML document. */
export function linesRenderer(format: Format): ItemRenderer {
  const item = async (value: unknown): Promise<string> =>
    format === "yaml"
      ? `---\n${await renderDocument(value, "yaml")}`
      : `${escapeControls(JSON.stringify(value))}\n`;
  return { item, end: () => "" };
}

/** A document whose last member is a long list. */
type ListMember = {
  /** The members before the list; one at least. */
  readonly head: Readonly<Record<string, unknown>>;
  /** What the list is called. */
  readonly name: string;
};

/** Such a document as text, piece by piece: together they equal `renderDocument` of the complete document. */
export async function memberRenderer(format: Format, member: ListMember): Promise<ItemRenderer> {
  return format === "json" ? jsonMember(member) : yamlMember(member);
}

const EMPTY_END = "[]\n}";

// {␊  "": [␊    <item>␊  ]␊}: the text around an item at the same nesting level as in the document.
const BEFORE = '{\n  "": ['.length;
const AFTER = "\n  ]\n}".length;

function jsonMember({ head, name }: ListMember): ItemRenderer {
  const empty = escapeControls(JSON.stringify({ ...head, [name]: [] }, null, 2));
  const begin = empty.slice(0, -EMPTY_END.length);
  let count = 0;
  const item = async (value: unknown): Promise<string> => {
    count += 1;
    const text = JSON.stringify({ "": [value] }, null, 2).slice(BEFORE, -AFTER);
    return `${count === 1 ? `${begin}[` : ","}${escapeControls(text)}`;
  };
  return { item, end: () => (count === 0 ? `${empty}\n` : "\n  ]\n}\n") };
}

/** A list of one item renders that item as a longer list would; the name is on a separate line. */
async function yamlMember({ head, name }: ListMember): Promise<ItemRenderer> {
  const begin = await renderDocument(head, "yaml");
  const empty = await renderDocument({ [name]: [] }, "yaml");
  const named = await renderDocument({ [name]: [0] }, "yaml");
  const nameLine = named.slice(0, named.indexOf("\n") + 1);
  let count = 0;
  const item = async (value: unknown): Promise<string> => {
    count += 1;
    const text = await renderDocument({ [name]: [value] }, "yaml");
    return count === 1 ? begin + text : text.slice(nameLine.length);
  };
  return { item, end: () => (count === 0 ? begin + empty : "") };
}
