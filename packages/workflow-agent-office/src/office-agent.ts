import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { err, type JsonValue, lineProblem, ok, type Result } from "@uncaged/json-cas";
import { writeFileAtomic } from "@uncaged/json-cas-fs";
import { type Completion, type OpenModel, openModel, timeoutMsOf } from "@uncaged/workflow-agent-kit";
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
import { ask, CREATE, EDIT, editRequest } from "./ask-model.js";
import { type DocumentFault, folderProblem, readDocument, readKind } from "./document.js";
import { type Host, runTool, usageFault } from "./host.js";
import { countTo } from "./usage.js";

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

/** What `office-agent --help` prints. */
export const HELP = `office-agent create "A one-page offer for 20 chairs, with a table of prices" -o offer.docx
office-agent edit offer.docx "Make it 25 chairs"
office-agent edit offer.docx "Make it formal" -o formal.docx --model sonnet

Usage: office-agent create <prompt> -o <file> [options]
       office-agent edit <file> <instruction> [-o <file>] [options]

Makes a Word document, or edits one, with a model of uwf's config.yaml. The model gives headings, paragraphs, lists and
tables, or edits of numbered paragraphs; the document is made here. A file is written complete or not at all.

Options:
  -o, --output <file>  where the document goes; edit replaces its own file without it
  --model <alias>      a model of config.yaml; else modelOverrides.office-agent, else defaultModel
  --timeout <seconds>  time limit for one answer of the model; 600 by default
  --version

Exit status: 0 done, 2 usage, 3 no such file, 4 the document or the configuration, 6 the model, 74 cannot write.
`;

export const USAGE = "`office-agent --help` has examples";

/** What the command line asks for; paths as written. */
export type Request = {
  /** `null`: a new document. */
  readonly file: string | null;
  /** What to write, or what to change. */
  readonly instruction: string;
  readonly output: string;
  /** An alias. */
  readonly model: string | null;
  readonly timeoutMs: number;
};

const OPTIONS = {
  output: { type: "string", short: "o" },
  model: { type: "string" },
  timeout: { type: "string" },
} as const;

/** A prompt may look like an option, so it is taken by its place. */
export function parseLine(argv: readonly string[]): Result<Request, string> {
  const at = argv.findIndex((word) => word === "create" || word === "edit");
  const verb = argv[at];
  if (verb === undefined)
    return err(argv.length === 0 ? "create or edit?" : `create or edit? ${argv[0]} is neither`);
  const count = verb === "create" ? 1 : 2;
  const given = argv.slice(at + 1, at + 1 + count);
  const [first = "", second = ""] = given;
  if (given.length < count || given.some((word) => word.trim() === ""))
    return err(verb === "create" ? "create needs a prompt" : "edit needs a file and an instruction");
  const rest = [...argv.slice(0, at), ...argv.slice(at + 1 + count)];
  try {
    const { values } = parseArgs({ args: rest, options: OPTIONS, strict: true, allowPositionals: false });
    const { output, model = null, timeout = "600" } = values;
    const timeoutMs = timeoutMsOf(timeout);
    if (!timeoutMs.ok) return timeoutMs;
    const common = { model, timeoutMs: timeoutMs.value };
    if (verb === "edit") return ok({ file: first, instruction: second, output: output ?? first, ...common });
    if (output === undefined || output === "") return err("create needs -o with the name of a file");
    return ok({ file: null, instruction: first, output, ...common });
  } catch (error) {
    return err(lineProblem(error, Object.keys(OPTIONS)));
  }
}
