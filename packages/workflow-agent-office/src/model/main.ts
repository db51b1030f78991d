import { resolve } from "node:path";
import { err, type JsonValue, ok, type Result } from "@uncaged/json-cas";
import { writeFileAtomic } from "@uncaged/json-cas-fs";
import { type Completion, type OpenModel, openModel } from "@uncaged/workflow-agent-kit";
import {
  createDocument,
  type Document,
  type DocxFault,
  docxHint,
  docxMessage,
  editDocument,
  outlineOf,
  saveDocument,
} from "@uncaged/workflow-docx";
import { ENV } from "@uncaged/workflow-util";
import { type DocumentFault, folderProblem, readDocument, readKind } from "../document.js";
import { type Host, runTool, usageFault } from "../host.js";
import { countTo } from "../usage.js";
import { ask } from "./ask.js";
import { HELP, parseLine, type Request, USAGE } from "./line.js";
import { CREATE, EDIT, editRequest } from "./prompts.js";

/** `office-agent`: its exit code. */
export function officeAgent(argv: readonly string[], host: Host): Promise<number> {
  return runTool(host, () => run(argv, host));
}

async function run(argv: readonly string[], host: Host): Promise<Result<string, DocumentFault>> {
  if (argv[0] === "--help" || argv[0] === "-h") return ok(HELP);
  if (argv[0] === "--version") return ok(`office-agent ${host.version}\n`);
  const line = parseLine(argv);
  if (!line.ok) return usageFault(line.error, USAGE);
  const request = line.value;
  const { output, file } = request;
  if (readKind(resolve(host.cwd, output)) === "folder")
    return usageFault(folderProblem(output, file ?? "document.docx"), USAGE);
  const made = await makeDocument(request, host);
  if (!made.ok) return made;
  writeFileAtomic(resolve(host.cwd, output), saveDocument(made.value), { mode: null });
  const { blocks } = outlineOf(made.value);
  return ok(`wrote ${output}: ${blocks.length} ${blocks.length === 1 ? "block" : "blocks"}\n`);
}

async function makeDocument(request: Request, host: Host): Promise<Result<Document, DocumentFault>> {
  // The document is looked at before a model is paid.
  const input = request.file === null ? null : readDocument(resolve(host.cwd, request.file));
  if (input?.ok === false) return input;
  const opened = await openModel(host, { alias: request.model, overrides: ["office-agent"] });
  if (!opened.ok) return opened;
  const onAnswer = countTo(host.env[ENV.officeUsage] || null, opened.value.name);
  const common = { model: opened.value, timeoutMs: request.timeoutMs, signal: host.signal, onAnswer };
  return input === null ? create(request, common) : edit(request, input.value.document, common);
}

type Common = {
  readonly model: OpenModel;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onAnswer: (answer: Completion) => void;
};

function create({ instruction }: Request, common: Common): Promise<Result<Document, DocumentFault>> {
  const question = { ...common, system: CREATE, user: instruction, member: "blocks" } as const;
  return ask(question, (blocks) => used(createDocument(blocks)));
}

function edit(
  { instruction }: Request,
  document: Document,
  common: Common,
): Promise<Result<Document, DocumentFault>> {
  const user = editRequest(outlineOf(document), instruction);
  const question = { ...common, system: EDIT, user, member: "edits" } as const;
  return ask(question, (edits: JsonValue) => {
    const edited = editDocument(document, edits);
    return edited.ok ? edited : err(edited.error.map(words).join("\n"));
  });
}

function used(made: Result<Document, DocxFault>): Result<Document, string> {
  return made.ok ? made : err(words(made.error));
}

function words(fault: DocxFault): string {
  return `${docxMessage(fault)}; ${docxHint(fault)}`;
}
