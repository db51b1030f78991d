import { placeOf, readPlace, writeText } from "../folder/index.js";
import { done, parametersOf, refused } from "./answer.js";
import { isTrue, textIn } from "./given.js";
import type { Answer, Tool, Workshop } from "./types.js";

export const PATCH_FILE: Tool = {
  name: "patch_file",
  description:
    "Replaces a text in a file of the working folder. `old` has to be there exactly as given, and once only, unless `all` is true: give enough lines around it.",
  parameters: parametersOf(
    { path: { type: "string" }, old: { type: "string" }, new: { type: "string" }, all: { type: "boolean" } },
    ["path", "old", "new"],
  ),
  run: (given, shop) => {
    const [old, fresh] = [textIn(given, "old"), textIn(given, "new")];
    if (old === null || old === "") return refused("old is to be a text that is not empty");
    if (fresh === null) return refused("new is to be a text");
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
  // A file that is not UTF-8 would come back with other bytes.
  if (text.includes("\ufffd")) return refused(`${path} is not plain UTF-8; change it with a command`);
  const { old, fresh, all } = inLinesOf(text, change);
  const times = text.split(old).length - 1;
  if (times === 0) return refused(`old is not in ${path}; read the file again and copy the text exactly`);
  if (times > 1 && !all)
    return refused(`old is in ${path} ${times} times; give more lines around it, or all: true`);
  const written = writeText(place.value, text.split(old).join(fresh));
  if (!written.ok) return refused(written.reason);
  return done(`Replaced it ${times === 1 ? "once" : `${times} times`} in ${place.value.path}.`);
}

/** Models write LF; a file with CRLF is meant all the same. */
function inLinesOf(text: string, change: Change): Change {
  if (text.includes(change.old) || !text.includes("\r\n")) return change;
  const crlf = (part: string): string => part.replace(/\r?\n/g, "\r\n");
  return { ...change, old: crlf(change.old), fresh: crlf(change.fresh) };
}
