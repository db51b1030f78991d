import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { StepText } from "../types.js";
import { type Html, visible } from "./html.js";

// Prompts, replies and tool calls are most of a thread, and seldom read. They wait at the end of the page in compressed
// blocks, which the page's script inflates when a step is opened. A text that comes again stands once per block.

/** Steps of a block. */
const STEPS = 25;
/** Characters of a title, which may name a tool. */
const TITLE = 200;

export type Bulk = {
  /** Takes the texts of a step, by the id of its place on the page; gives the number of its block. */
  readonly add: (id: string, texts: readonly StepText[]) => number;
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
    add: (id, texts) => {
      const { texts: known, steps } = block;
      const entries = texts.map(({ title, text }): readonly [string, number] => {
        const at = known.get(text) ?? known.size;
        known.set(text, at);
        return [visible(title.slice(0, TITLE)), at];
      });
      steps.push([id, entries]);
      const number = done.length;
      if (steps.length === STEPS) close();
      return number;
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

async function packedOf({ texts, steps }: Block): Promise<string> {
  const content = { texts: [...texts.keys()].map(visible), steps: Object.fromEntries(steps) };
  return (await promisify(gzip)(JSON.stringify(content))).toString("base64");
}
