import { escapeControls } from "./controls.js";
import { renderDocument } from "./document.js";
import type { ItemRenderer } from "./items.js";
import type { Format } from "./types.js";

/** A document whose last member is a long list. */
export type ListMember = {
  /** The members before the list; one at least. */
  readonly head: Readonly<Record<string, unknown>>;
  /** What the list is called. */
  readonly name: string;
};

/** Such a document as text, piece by piece: together they are what `renderDocument` makes of the whole. */
export async function memberRenderer(format: Format, member: ListMember): Promise<ItemRenderer> {
  return format === "json" ? jsonMember(member) : yamlMember(member);
}

const EMPTY_END = "[]\n}";

// {␊  "": [␊    <item>␊  ]␊}: what stands around an item that is as far inside as in the document.
const BEFORE = '{\n  "": ['.length;
const AFTER = "\n  ]\n}".length;

function jsonMember({ head, name }: ListMember): ItemRenderer {
  const empty = escapeControls(JSON.stringify({ ...head, [name]: [] }, null, 2));
  const begin = empty.slice(0, -EMPTY_END.length);
  let count = 0;
  const item = async (value: unknown): Promise<string> => {
    count += 1;
    const text = JSON.stringify({ "": [value] }, null, 2).slice(BEFORE, -AFTER);
    return `${count === 1 ? `${begin}[` : ","}${escapeControls(text)}`;
  };
  return { item, end: () => (count === 0 ? `${empty}\n` : "\n  ]\n}\n") };
}

/** A list of one item has the same text as that item in a longer list; the name stands on a line of its own. */
async function yamlMember({ head, name }: ListMember): Promise<ItemRenderer> {
  const begin = await renderDocument(head, "yaml");
  const empty = await renderDocument({ [name]: [] }, "yaml");
  const named = await renderDocument({ [name]: [0] }, "yaml");
  const nameLine = named.slice(0, named.indexOf("\n") + 1);
  let count = 0;
  const item = async (value: unknown): Promise<string> => {
    count += 1;
    const text = await renderDocument({ [name]: [value] }, "yaml");
    return count === 1 ? begin + text : text.slice(nameLine.length);
  };
  return { item, end: () => (count === 0 ? begin + empty : "") };
}
