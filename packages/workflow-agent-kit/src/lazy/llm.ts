import type * as Llm from "../llm/index.js";

/**
 * The one lazy import of the kit: the chat client, and with it the configuration's YAML reader, are needed only where
 * a reply's header failed. A step whose header is fine never pays for them.
 */
export function loadLlm(): Promise<typeof Llm> {
  return import("../llm/index.js");
}
