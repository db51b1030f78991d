import { placeOf, readPlace } from "../folder/index.js";
import { done, parametersOf, refused } from "./answer.js";
import { countIn, textIn } from "./given.js";
import type { Answer, Tool } from "./types.js";

export const READ_FILE: Tool = {
  name: "read_file",
  description:
    "Reads a text file of the working folder, or lists a folder. A long file comes in parts: `offset` is the first line wanted (from 1), `limit` the number of lines.",
  parameters: parametersOf(
    {
      path: { type: "string" },
      offset: { type: "integer", minimum: 1 },
      limit: { type: "integer", minimum: 1 },
    },
    ["path"],
  ),
  run: (given, shop) => {
    const { outputLimit } = shop;
    const place = placeOf(shop, textIn(given, "path") ?? "");
    if (!place.ok) return refused(place.reason);
    const read = readPlace(place.value);
    if (!read.ok) return refused(read.reason);
    if (read.value.kind === "folder") return done(cutList(read.value.names, outputLimit));
    const range = { offset: countIn(given, "offset", 1) ?? 1, limit: countIn(given, "limit", 1) };
    // Before it is cut: of half a key nobody would know that it is one.
    return part(shop.conceal(read.value.text), range, outputLimit);
  },
};

function cutList(names: readonly string[], limit: number): string {
  const text = names.length === 0 ? "(an empty folder)" : names.join("\n");
  return text.length <= limit ? text : `${text.slice(0, limit)}\n[cut off: ${names.length} names in all]`;
}

type Range = { readonly offset: number; readonly limit: number | null };

/** Whole lines, as many as fit; a note says where to go on. */
function part(text: string, { offset, limit }: Range, most: number): Answer {
  const lines = text.split(/(?<=\n)/);
  if (lines.length < offset) return refused(`it has only ${lines.length} lines`);
  const wanted = lines.slice(offset - 1, limit === null ? undefined : offset - 1 + limit);
  const shown = fitting(wanted, most);
  const last = offset - 1 + shown.length;
  if (shown.length > 0 && last >= lines.length) return done(shown.join("") || "(an empty file)");
  const [long = ""] = wanted;
  if (shown.length === 0)
    return done(`${long.slice(0, most)}\n[line ${offset} is cut off: it has ${long.length} characters]`);
  return done(
    `${shown.join("")}\n[lines ${offset} to ${last} of ${lines.length}; go on with offset ${last + 1}]`,
  );
}

function fitting(lines: readonly string[], most: number): readonly string[] {
  let size = 0;
  const over = lines.findIndex((line) => {
    size += line.length;
    return size > most;
  });
  return over === -1 ? lines : lines.slice(0, over);
}
