import { extname } from "node:path";
import { parseArgs } from "node:util";
import { lineProblem } from "@uncaged/json-cas";
import { ENV } from "@uncaged/workflow-util";

export const FORMATS = ["text", "html", "json", "docx"] as const;

export type Format = (typeof FORMATS)[number];

/** What the command line asks for. */
export type Request = {
  /** As written; `-` is stdin. */
  readonly source: string;
  readonly modified: string;
  readonly format: Format;
  /** As written; `null`: stdout. */
  readonly outFile: string | null;
  /** Who the tracked changes are by. */
  readonly author: string;
};

export type Line =
  | { readonly kind: "compare"; readonly request: Request }
  | { readonly kind: "help" | "version" }
  /** A sentence. */
  | { readonly kind: "wrong"; readonly reason: string };

const OPTIONS = {
  output: { type: "string" },
  "out-file": { type: "string", short: "o" },
  author: { type: "string" },
  "error-format": { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
} as const;

export function parseLine(argv: readonly string[]): Line {
  try {
    return lineOf(parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }));
  } catch (error) {
    return wrong(asOption(lineProblem(error, Object.keys(OPTIONS))));
  }
}

/** Formats are values of an option, which people take for options. */
function asOption(problem: string): string {
  const [, format] = /^unknown option '--(text|html|json|docx)'/.exec(problem) ?? [];
  return format === undefined ? problem : `unknown option '--${format}', did you mean "--output ${format}"?`;
}

type Parsed = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>;

function lineOf({ values, positionals }: Parsed): Line {
  if (values.help === true) return { kind: "help" };
  if (values.version === true) return { kind: "version" };
  const [source, modified, more] = positionals;
  if (source === undefined || modified === undefined)
    return wrong(
      `two documents are compared, and ${source === undefined ? "none is" : "only one is"} named: docx-diff <source> <modified>`,
    );
  if (more !== undefined)
    return wrong(`two documents are compared, and more are named: ${positionals.join(" ")}`);
  if (source === "-" && modified === "-") return wrong("only one of the two documents can be stdin");
  if (source === "" || modified === "") return wrong("the name of a document is empty");
  const outFile = values["out-file"] ?? null;
  if (outFile === "") return wrong("--out-file needs the name of a file");
  const format = values.output ?? formatOf(outFile);
  if (!isFormat(format)) {
    const named = values.output === undefined ? `the name ${outFile} says ${format}, but ` : "";
    return wrong(`${named}--output is one of ${FORMATS.join(", ")}, and not ${format}`);
  }
  const errors = values["error-format"];
  if (errors !== undefined && errors !== "text" && errors !== "json")
    return wrong(`--error-format is one of text, json, and not ${errors}`);
  return {
    kind: "compare",
    request: { source, modified, format, outFile, author: values.author ?? "docx-diff" },
  };
}

/** By the name of the file: a name that says nothing gets text, one that says something else needs `--output`. */
function formatOf(outFile: string | null): string {
  const extension = outFile === null ? "" : extname(outFile).slice(1).toLowerCase();
  return ["", "txt", "md", "diff"].includes(extension) ? "text" : extension;
}

function isFormat(text: string): text is Format {
  return (FORMATS as readonly string[]).includes(text);
}

function wrong(reason: string): Line {
  return { kind: "wrong", reason };
}

/** How failures are printed; looked up before parsing, because the line itself may be the failure. */
export function wantsJsonErrors(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const at = argv.lastIndexOf("--error-format");
  const joined = argv.findLast((word) => word.startsWith("--error-format="))?.slice("--error-format=".length);
  return ((at === -1 ? joined : argv[at + 1]) ?? env[ENV.errorFormat]) === "json";
}

/** What `docx-diff --help` prints. */
export const HELP = `Examples:
  $ docx-diff old.docx new.docx
  $ docx-diff old.docx new.docx --output docx --out-file changes.docx
  $ docx-diff old.docx new.docx --out-file changes.html
  $ git show HEAD:report.docx | docx-diff - report.docx

Usage: docx-diff <source> <modified> [options]

Shows what differs between two Word documents, word by word, each block under its heading. One of the two may be - for
stdin. Tracked changes that a document has already count as accepted.

Options:
  --output <format>        text, html, json or docx. Without it the name of --out-file decides (changes.html); else text
                             text  what differs, in colour on a terminal: NO_COLOR turns that off
                             html  a page that needs nothing else and has no script
                             json  {equal, source, modified, summary, changes, others}
                             docx  the modified document with tracked changes: accepting all of them gives it, rejecting
                                   all gives the source
  -o, --out-file <file>    where to; without it stdout. A file of that name is replaced, complete or not at all
  --author <name>          who the tracked changes are by (default: docx-diff)
  --error-format <format>  how a failure is printed: text or json
  -h, --help
  -V, --version

What a line shows:
  12: We have [-three-]{+four+} apples.    block 12 of the modified document
  old 4: [-It rains.-]                     block 4 of the source, which is gone

Exit codes: 0 no difference, 1 the documents differ (both with a result), 2 usage, 3 no such file, 4 not a document that
can be compared, 70 a bug, 74 reading or writing failed. From 2 on nothing has been written.
`;
