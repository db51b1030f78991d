import { bytes } from "@uncaged/workflow-util";
import type { DifferentLine, DocumentDifference, StepFile } from "../types.js";
import { type Html, html } from "./html.js";
import { partHtml } from "./tables.js";

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

/** Lines that are shown at once. */
const SHOWN = 20;

/** What differs between the documents of a step. */
export function differenceHtml({ summary, lines, more }: DocumentDifference): Html {
  const left = lines.length - SHOWN + more;
  const rest = html`<details class="long"><summary>${left} more</summary>${linesHtml(lines.slice(SHOWN))}${more === 0 ? null : html`<p class="small">and ${more} more</p>`}</details>`;
  return html`<h3>What differs in the document</h3>
<p>${summary}</p>
${linesHtml(lines.slice(0, SHOWN))}${left > 0 ? rest : null}`;
}

function linesHtml(lines: readonly DifferentLine[]): Html {
  let above: string | null = null;
  const shown = lines.map(({ heading, label, parts, isFormatOnly }) => {
    const title =
      heading === above || heading === null
        ? null
        : html`<h4 dir="auto">${heading}</h4>
`;
    above = heading;
    const note = isFormatOnly ? html` <span class="mark">only its format</span>` : null;
    return html`${title}<div class="difference"><span class="small">${label}</span><div class="text" dir="auto">${parts.map(partHtml)}${note}</div></div>
`;
  });
  return html`${shown}`;
}
