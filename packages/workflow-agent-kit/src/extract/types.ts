import type { JsonObject } from "@uncaged/json-cas";
import type { Result } from "@uncaged/workflow-protocol";

export type ValidFrontmatter = {
  /** The fields that the schema declares, and only those. */
  readonly value: JsonObject;
  /** The reply without its header. */
  readonly body: string;
};

type Lines = readonly string[];

/** The fields that count, or one line per violation. */
export type Accept = (data: JsonObject) => Result<JsonObject, Lines>;

export type ExtractInput = {
  readonly accept: Accept;
  readonly reply: string;
  /** Sends a message into the agent's session and gives its answer; an error is a line. `null`: it has no session to go on in. */
  readonly ask: ((message: string) => Promise<Result<string, string>>) | null;
  /** The extract by a model: the valid fields, or why there are none. */
  readonly llm: (reply: string) => Promise<Result<JsonObject, Lines>>;
};

export type Extracted = {
  readonly value: JsonObject;
  readonly by: "frontmatter" | "repair" | "llm";
};
