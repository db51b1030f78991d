import { done, parametersOf, refused } from "./answer.js";
import { textIn } from "./given.js";
import type { Tool } from "./types.js";

export const PUT_TEXT: Tool = {
  name: "cas_put",
  description:
    "Stores a text in the content-addressed store and gives its hash, for a field that takes the hash of a stored node.",
  parameters: parametersOf({ text: { type: "string" } }, ["text"]),
  run: async (given, { putText }) => {
    const text = textIn(given, "text");
    return text === null ? refused("text is to be a text") : done(await putText(text));
  },
};
