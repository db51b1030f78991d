import { parseArgs } from "node:util";
import { err, lineProblem, ok, type Result, suggest } from "@uncaged/json-cas";

/** What `uwf-agent-docx --help` prints. */
export const HELP = `uwf-agent-docx check report.docx
uwf-agent-docx outline report.docx
uwf-agent-docx edit report.docx edits.json -o new.docx
echo '{"name": "Ada", "items": [{"what": "chair", "price": "20"}]}' | uwf-agent-docx fill offer.docx - -o ada.docx
uwf-agent-docx render new.docx -o pages

Usage: uwf-agent-docx <command> … [options]

Word documents for authors of workflows and for other agents.

  check <file>                     whether it is a sound document: no macros, nothing loaded from elsewhere, not damaged
  outline <file>                   its paragraphs and tables, with the numbers by which edits name them; its styles
  edit <file> <edits> -o <file>    apply a list of edits (JSON; - is stdin), all of them or none
  fill <file> <data> -o <file>     fill the tags of a template, {name} or {#items}…{/items}, with data (JSON; - is stdin)
  render <file> -o <folder>        its pages as page-1.png, …; needs LibreOffice and poppler-utils

An edit is {"op": "replaceText", "block": 3, "expect": "We have three apples.", "find": "three", "text": "four"}: block is
its number in the outline, expect what stands there now. Other operations: setText, insertBefore, insertAfter, delete,
setStyle, setCell.

Options:
  -o, --output <path>  where the result goes; an existing document is replaced
  --json               print the result as JSON
  --pages <n>          of render: at most this many pages, 20 by default
  --dpi <n>            of render: dots per inch, 80 by default
  --timeout <seconds>  of render: time limit, 120 by default
  --version

Exit status: 0 done, 2 usage, 3 no such file, 4 the document, the edits, the data or a missing program, 6 render, 74 cannot
write. UWF_ERROR_FORMAT=json prints errors as JSON.
`;

export const USAGE = "`uwf-agent-docx --help` has examples";

const COMMANDS = {
  check: [],
  outline: [],
  edit: ["the edits"],
  fill: ["the data"],
  render: [],
} as const;

export type Command = keyof typeof COMMANDS;

/** What the command line asks for; paths as written. */
export type Request = {
  readonly command: Command;
  readonly file: string;
  /** Edits or data; "" where the command has none. */
  readonly input: string;
  /** "" where the command has none. */
  readonly output: string;
  readonly asJson: boolean;
  readonly pages: number;
  readonly dpi: number;
  readonly timeoutMs: number;
};

const OPTIONS = {
  output: { type: "string", short: "o" },
  json: { type: "boolean" },
  pages: { type: "string" },
  dpi: { type: "string" },
  timeout: { type: "string" },
} as const;

const OF_RENDER = ["pages", "dpi", "timeout"] as const;

export function parseLine(argv: readonly string[]): Result<Request, string> {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
    const [command, file, ...more] = positionals;
    if (command === undefined) return err("which command? check, outline, edit, fill or render");
    if (!isCommand(command))
      return err(
        `there is no command ${command}${meant(command)} The commands are check, outline, edit, fill and render`,
      );
    if (file === undefined) return err(`${command} needs a document`);
    const inputs = COMMANDS[command];
    if (more.length < inputs.length) return err(`${command} needs ${inputs[0]}, a file or - for stdin`);
    if (more.length > inputs.length) return err(`${command} takes no further word ${more[inputs.length]}`);
    const { output = "", json: asJson = false } = values;
    const writes = command !== "check" && command !== "outline";
    if (writes && output === "") return err(`${command} needs -o, where the result goes`);
    if (!writes && output !== "") return err(`${command} writes nothing: it takes no -o`);
    const foreign = OF_RENDER.find((name) => command !== "render" && values[name] !== undefined);
    if (foreign !== undefined) return err(`--${foreign} is an option of render`);
    if (command === "render" && /\.(?:png|pdf|jpe?g)$/i.test(output))
      return err(`render makes page-1.png, … in a folder, and ${output} is the name of a file`);
    if (/^\s*[{[]/.test(more[0] ?? ""))
      return err(`${command} takes ${inputs[0]} from a file, or with - from stdin: echo '{…}' | …`);
    return ok({
      command,
      file,
      input: more[0] ?? "",
      output,
      asJson,
      pages: count("pages", values.pages ?? "20", 1000),
      dpi: count("dpi", values.dpi ?? "80", 600),
      timeoutMs: count("timeout", values.timeout ?? "120", 86_400) * 1000,
    });
  } catch (error) {
    return err(lineProblem(error, Object.keys(OPTIONS)));
  }
}

function isCommand(word: string): word is Command {
  return Object.hasOwn(COMMANDS, word);
}

function meant(word: string): string {
  const near = suggest(word, Object.keys(COMMANDS));
  return near === null ? "." : `, did you mean "${near}"?`;
}

function count(name: string, text: string, most: number): number {
  if (/^[1-9]\d*$/.test(text) && Number(text) <= most) return Number(text);
  throw new Error(`--${name} is a whole number from 1 to ${most}, not "${text}"`);
}
