import { placeOf, writeText } from "../folder/index.js";
import { done, parametersOf, refused } from "./answer.js";
import { textIn } from "./given.js";
import type { Tool } from "./types.js";

export const WRITE_FILE: Tool = {
  name: "write_file",
  description: "Writes a whole text file in the working folder; makes its folders. What was in it is gone.",
  parameters: parametersOf({ path: { type: "string" }, content: { type: "string" } }, ["path", "content"]),
  run: (given, shop) => {
    const content = textIn(given, "content");
    if (content === null) return refused("content is to be a text");
    const place = placeOf(shop, textIn(given, "path") ?? "");
    if (!place.ok) return refused(place.reason);
    const written = writeText(place.value, content);
    return written.ok
      ? done(`Wrote ${written.value} bytes to ${place.value.path}.`)
      : refused(written.reason);
  },
};
