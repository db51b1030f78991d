import { placeOf, readPlace, writeText } from "../folder.js";
import type { Answer, Tool, Workshop } from "./types.js";
import { countIn, done, isTrue, parametersOf, refused, textIn } from "./types.js";

export const PATCH_FILE: Tool = {
  name: "patch_file",
  description:
    "Replaces text in a file of the working folder. `old` must occur exactly as given, and only once unless `all` is true: include enough surrounding lines.",
  parameters: parametersOf(
    { path: { type: "string" }, old: { type: "string" }, new: { type: "string" }, all: { type: "boolean" } },
    ["path", "old", "new"],
  ),
  run: (given, shop) => {
    const [old, fresh] = [textIn(given, "old"), textIn(given, "new")];
    if (old === null || old === "") return refused("old must be a non-empty string");
    if (fresh === null) return refused("new must be a string");
    return patch(textIn(given, "path") ?? "", { old, fresh, all: isTrue(given, "all") }, shop);
  },
};

type Change = { readonly old: string; readonly fresh: string; readonly all: boolean };

function patch(path: string, change: Change, shop: Workshop): Answer {
  const place = placeOf(shop, path);
  if (!place.ok) return refused(place.reason);
  const read = readPlace(place.value);
  if (!read.ok) return refused(read.reason);
  if (read.value.kind === "folder") return refused(`${path} is a folder`);
  const { text } = read.value;
  // Writing a file that is not UTF-8 would change other bytes.
  if (text.includes("\ufffd")) return refused(`${path} is not valid UTF-8; change it with a command`);
  const { old, fresh, all } = inLinesOf(text, change);
  const times = text.split(old).length - 1;
  if (times === 0) return refused(`old is not in ${path}; read the file again and copy the text exactly`);
  if (times > 1 && !all)
    return refused(`old occurs ${times} times in ${path}; include more surrounding lines, or set all: true`);
  const written = writeText(place.value, text.split(old).join(fresh));
  if (!written.ok) return refused(written.reason);
  return done(`Replaced it ${times === 1 ? "once" : `${times} times`} in ${place.value.path}.`);
}

/** Models write LF, even for a file with CRLF. */
function inLinesOf(text: string, change: Change): Change {
  if (text.includes(change.old) || !text.includes("\r\n")) return change;
  const crlf = (part: string): string => part.replace(/\r?\n/g, "\r\n");
  return { ...change, old: crlf(change.old), fresh: crlf(change.fresh) };
}

export const READ_FILE: Tool = {
  name: "read_file",
  description:
    "Reads a text file of the working folder, or lists a folder. A long file comes in parts: `offset` is the first line (from 1), `limit` the number of lines.",
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
    // Redact before cutting: half a key is not recognised.
    return part(shop.conceal(read.value.text), range, outputLimit);
  },
};

function cutList(names: readonly string[], limit: number): string {
  const text = names.length === 0 ? "(an empty folder)" : names.join("\n");
  return text.length <= limit ? text : `${text.slice(0, limit)}\n[cut off: ${names.length} names in all]`;
}

type Range = { readonly offset: number; readonly limit: number | null };

/** As many whole lines as fit; a note says where to continue. */
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
    `${shown.join("")}\n[lines ${offset} to ${last} of ${lines.length}; continue with offset ${last + 1}]`,
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

export const WRITE_FILE: Tool = {
  name: "write_file",
  description:
    "Writes a complete text file in the working folder and creates its folders. Existing content is replaced.",
  parameters: parametersOf({ path: { type: "string" }, content: { type: "string" } }, ["path", "content"]),
  run: (given, shop) => {
    const content = textIn(given, "content");
    if (content === null) return refused("content must be a string");
    const place = placeOf(shop, textIn(given, "path") ?? "");
    if (!place.ok) return refused(place.reason);
    const written = writeText(place.value, content);
    return written.ok
      ? done(`Wrote ${written.value} bytes to ${place.value.path}.`)
      : refused(written.reason);
  },
};
