import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { bytes, count, counted } from "@uncaged/workflow-util";
import { type Html, html, visible } from "./html.js";
import type { ReportStep, StepFile, StepText } from "./types.js";

// Prompts, replies and tool calls are most of a thread, and seldom read. They wait at the end of the page in compressed
// blocks, which the page's script inflates when a step is opened. A text that comes again stands once per block.

/** Steps of a block. */
const STEPS = 25;
/** Characters of a title, which may name a tool. */
const TITLE = 200;

export type Bulk = {
  /** Takes the texts of a step; gives the place for them, which has this id. */
  readonly add: (step: ReportStep, id: string) => Html | null;
  /** The blocks, once every step has been added. */
  readonly html: () => Promise<Html>;
};

type Block = {
  readonly texts: Map<string, number>;
  /** Id → title and place of each text. */
  readonly steps: [string, (readonly [string, number])[]][];
};

export function newBulk(): Bulk {
  // They are compressed by other threads while the page is made.
  const done: Promise<string>[] = [];
  let block = emptyBlock();
  const close = (): void => {
    if (block.steps.length > 0) done.push(packedOf(block));
    block = emptyBlock();
  };
  return {
    add: ({ texts }, id) => {
      if (texts === null || texts.length === 0) return null;
      const { texts: known, steps } = block;
      const entries = texts.map(({ title, text }): readonly [string, number] => {
        const at = known.get(text) ?? known.size;
        known.set(text, at);
        return [visible(title.slice(0, TITLE)), at];
      });
      steps.push([id, entries]);
      const number = done.length;
      if (steps.length === STEPS) close();
      const size = texts.reduce((sum, { text }) => sum + text.length, 0);
      return html`<div class="bulk" data-block="${number}" data-step="${id}"><p class="small">${counted(texts.length, "text")}, ${count(size)} characters, which the script of this page shows</p></div>`;
    },
    html: async () => {
      close();
      const packed = await Promise.all(done);
      // Base64 holds nothing that HTML would read.
      return {
        html: packed
          .map((text, at) => `<script type="text/plain" id="block-${at}">${text}</script>\n`)
          .join(""),
      };
    },
  };
}

function emptyBlock(): Block {
  return { texts: new Map(), steps: [] };
}

/** A line of JSON with the lengths of the texts, and the texts: quoting fifty megabytes would be felt. */
async function packedOf({ texts, steps }: Block): Promise<string> {
  const shown = [...texts.keys()].map(visible);
  const contents = { lengths: shown.map(({ length }) => length), steps: Object.fromEntries(steps) };
  return (await promisify(gzip)(`${JSON.stringify(contents)}\n${shown.join("")}`)).toString("base64");
}

/** Texts as a page shows them. */
export function visibleTexts(texts: readonly StepText[]): readonly StepText[] {
  return texts.map(({ title, text }) => ({ title: visible(title.slice(0, TITLE)), text: visible(text) }));
}

/** Bytes of one file, and of all, that a page carries: a report is to fit into a mail. */
const MOST_OF_ONE = 2 * 1024 * 1024;
const MOST_OF_ALL = 8 * 1024 * 1024;

/** Shows how to get a file. `id`: of the place. */
export type ShowFile = (file: StepFile, id: string) => Html;

/** Files as part of a page, each of them once; those for which there is no room by the command that gets them. */
export function filesInPage(): ShowFile {
  const places = new Map<string, string>();
  let room = MOST_OF_ALL;
  return (file, id) => {
    const { hash, name, size } = file;
    const known = places.get(hash);
    if (known !== undefined) return html`<a href="#${known}">${name}</a>`;
    const content = size <= MOST_OF_ONE && size <= room ? file.read() : null;
    if (content === null) return html`${name}: <code>uwf cas file get ${hash} -o …</code>`;
    room -= size;
    places.set(hash, id);
    const data = { html: Buffer.from(content).toString("base64") };
    return html`<a id="${id}" download="${name}" href="data:${typeOf(file)};base64,${data}">${name}</a>`;
  };
}

/** A button whose file the page's script asks the server for. */
export const fileButton: ShowFile = ({ hash, name }) =>
  html`<button type="button" data-file="${hash}" data-name="${name}">${name}</button>`;

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** A browser shows nothing of the others, whatever they say that they are. */
function typeOf({ mediaType }: StepFile): string {
  return mediaType === WORD ? WORD : "application/octet-stream";
}

/** The files that a step's output names. */
export function filesHtml(files: readonly StepFile[], show: ShowFile, id: string): Html | null {
  if (files.length === 0) return null;
  const rows = files.map(
    (file, at) =>
      html`<tr><th scope="row">${file.path}</th><td>${show(file, `${id}f${at}`)} <span class="small">${bytes(file.size)}</span></td></tr>
`,
  );
  return html`<h3>Files</h3>
<div class="wide"><table class="output"><tbody>${rows}</tbody></table></div>`;
}
