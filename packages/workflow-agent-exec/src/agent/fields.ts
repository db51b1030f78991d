import { type JsonObject, parseFrontmatterMarkdown } from "@uncaged/workflow-agent-kit";
import { frontmatterSentence, parseFrontmatterBlock } from "@uncaged/workflow-util";
import type { Ran } from "../command/index.js";
import { type Files, OUTPUT_FILE, readOutput } from "../files/index.js";
import type { Words } from "../words/index.js";

export type Fields =
  | { readonly ok: true; readonly fields: JsonObject }
  /** A sentence. */
  | { readonly ok: false; readonly reason: string };

/** What only the process tells: whoever could say it as well could call a failure a success. */
const FACTS = ["ok", "exitCode", "durationMs"];

/** The fields that the command told of itself: in its file, and in a header on stdout where it is asked for that. */
export function fieldsOf(ran: Ran, words: Words, files: Files): Fields {
  const told = inFile(files);
  if (!told.ok || !words.fieldsFromStdout) return told;
  const header = inHeader(ran.stdout);
  return header.ok ? { ok: true, fields: { ...header.fields, ...told.fields } } : header;
}

function inFile(files: Files): Fields {
  const read = readOutput(files);
  if (!read.ok) return { ok: false, reason: `the file of ${OUTPUT_FILE} ${read.reason}` };
  if (read.text.trim() === "") return { ok: true, fields: {} };
  const parsed = parseFrontmatterBlock({ leading: true, line: 1, yaml: read.text, body: "" });
  const where = `the file of ${OUTPUT_FILE}`;
  if (parsed.ok) return withoutFacts(parsed.value, where);
  return {
    ok: false,
    reason: `${where} is no YAML map: ${parsed.error.map(frontmatterSentence).join("; ")}`,
  };
}

function inHeader(stdout: string): Fields {
  if (!stdout.trimStart().startsWith("---\n")) return { ok: true, fields: {} };
  const parsed = parseFrontmatterMarkdown(stdout);
  return parsed.ok
    ? withoutFacts(parsed.value.data, "the header on stdout")
    : { ok: false, reason: `the header on stdout is not valid: ${parsed.error.join("; ")}` };
}

function withoutFacts(fields: JsonObject, where: string): Fields {
  const fact = FACTS.find((name) => Object.hasOwn(fields, name));
  if (fact === undefined) return { ok: true, fields };
  return { ok: false, reason: `${where} tells ${fact}, which only the command's end tells` };
}
