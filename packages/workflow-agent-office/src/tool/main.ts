import { resolve } from "node:path";
import { err, isObject, type JsonValue, ok, parseJson, type Result } from "@uncaged/json-cas";
import { writeFileAtomic } from "@uncaged/json-cas-fs";
import { type Document, editDocument, fillTemplate, outlineOf, saveDocument } from "@uncaged/workflow-docx";
import {
  type DocumentFault,
  folderProblem,
  type OpenFile,
  outlineText,
  readDocument,
  readFile,
  readKind,
  refusal,
} from "../document.js";
import { type Host, runTool, usageFault } from "../host.js";
import { HELP, parseLine, type Request, USAGE } from "./line.js";
import { render } from "./render.js";

type Printed = Result<string, DocumentFault>;

/** `uwf-agent-docx`: its exit code. `temporary`: the folder for temporary files. */
export function docxTool(argv: readonly string[], host: Host, temporary: string): Promise<number> {
  return runTool(host, () => run(argv, host, temporary));
}

async function run(argv: readonly string[], host: Host, temporary: string): Promise<Printed> {
  if (argv.includes("--help") || argv.includes("-h")) return ok(HELP);
  if (argv[0] === "--version") return ok(`uwf-agent-docx ${host.version}\n`);
  const line = parseLine(argv);
  if (!line.ok) return usageFault(line.error, USAGE);
  const request = line.value;
  const { command, file, output } = request;
  if ((command === "edit" || command === "fill") && readKind(resolve(host.cwd, output)) === "folder")
    return usageFault(folderProblem(output, file), USAGE);
  if (command === "render" && readKind(resolve(host.cwd, output)) === "file")
    return usageFault(`render makes page-1.png, … in a folder, and ${output} is a file`, USAGE);
  const read = readDocument(resolve(host.cwd, file));
  if (!read.ok) return read;
  switch (command) {
    case "check":
      return ok(checked(request, read.value));
    case "outline":
      return ok(outlined(request, read.value.document));
    case "edit":
      return edit(request, read.value.document, host);
    case "fill":
      return fill(request, read.value.document, host);
    case "render": {
      const rendered = await render(request, read.value, { host, temporary });
      if (!rendered.ok) return rendered;
      const { pages, total } = rendered.value;
      const more = total > pages.length ? `${pages.length} of ${total} pages\n` : "";
      return ok(request.asJson ? json({ pages, total }) : `${pages.join("\n")}\n${more}`);
    }
  }
}

function checked({ file, asJson }: Request, { bytes, document }: OpenFile): string {
  const { blocks } = outlineOf(document);
  if (asJson) return json({ ok: true, file, bytes: bytes.length, blocks: blocks.length });
  return `${file} is a sound document: ${blocksIn(blocks.length)}\n`;
}

function outlined({ file, asJson }: Request, document: Document): string {
  const outline = outlineOf(document);
  return asJson ? json({ file, ...outline }) : `${outlineText(outline, Number.POSITIVE_INFINITY)}\n`;
}

function edit(request: Request, document: Document, host: Host): Printed {
  const edits = readJson(request.input, host);
  if (!edits.ok) return edits;
  const edited = editDocument(document, edits.value);
  return edited.ok ? write(request, edited.value, host) : err(refusal(nameOf(request.input), edited.error));
}

async function fill(request: Request, document: Document, host: Host): Promise<Printed> {
  const data = readJson(request.input, host);
  if (!data.ok) return data;
  if (!isObject(data.value)) {
    const what = nameOf(request.input);
    return err({ code: "INVALID_INPUT", what, reason: "it is no object", hint: "give a value for each tag" });
  }
  const filled = await fillTemplate(document, data.value);
  return filled.ok ? write(request, filled.value, host) : err(refusal(request.file, [filled.error]));
}

/** As much as a thread's prompt and a model's answer can have. */
const JSON_BYTES = 16 * 1024 * 1024;

function readJson(path: string, host: Host): Result<JsonValue, DocumentFault> {
  const read = readFile(path === "-" ? path : resolve(host.cwd, path), JSON_BYTES);
  if (!read.ok) return read;
  try {
    return ok(parseJson(read.value.toString("utf8")));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const what = nameOf(path);
    return err({ code: "INVALID_INPUT", what, reason: `it is no JSON: ${reason}`, hint: USAGE });
  }
}

function write({ output, asJson }: Request, document: Document, host: Host): Printed {
  writeFileAtomic(resolve(host.cwd, output), saveDocument(document), { mode: null });
  const { length } = outlineOf(document).blocks;
  return ok(asJson ? json({ file: output, blocks: length }) : `wrote ${output}: ${blocksIn(length)}\n`);
}

function blocksIn(count: number): string {
  return `${count} ${count === 1 ? "block" : "blocks"}`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function nameOf(path: string): string {
  return path === "-" ? "stdin" : path;
}
