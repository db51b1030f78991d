import type { JsonValue } from "@uncaged/json-cas";
import type { AuthoredWorkflow, Problem } from "@uncaged/workflow-protocol";
import type { Finding, Locate } from "../shape.js";

/** A YAML text that became plain JSON, and where each of its parts stands. */
export type LocatedYaml = {
  readonly file: string;
  /** `null` also if the text is empty or contains only comments. */
  readonly value: JsonValue;
  readonly locate: Locate;
};

/** Further findings about a workflow whose shape is right: the moderator's `checkWorkflow`. */
export type WorkflowCheck = (workflow: AuthoredWorkflow) => readonly Finding[];

/** What a workflow file is found to be. */
export type InspectedWorkflow = {
  readonly file: string;
  /** The YAML. */
  readonly text: string;
  /** `null` if there is an error among the problems. */
  readonly authored: AuthoredWorkflow | null;
  readonly problems: readonly Problem[];
};

/** A valid one: its problems are warnings. */
export type WorkflowFile = InspectedWorkflow & { readonly authored: AuthoredWorkflow };

export type LocalWorkflow = {
  /** The file's name without `.yaml`; the name in the file may differ. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
};
