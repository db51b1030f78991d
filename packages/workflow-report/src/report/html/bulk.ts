import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { count, counted } from "@uncaged/workflow-util";
import type { ReportStep, StepText } from "../types.js";
import { type Html, html, visible } from "./html.js";

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
