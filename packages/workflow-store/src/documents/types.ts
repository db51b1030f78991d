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

export type WorkflowFile = {
  readonly file: string;
  /** The YAML. */
  readonly text: string;
  readonly authored: AuthoredWorkflow;
  /** Warnings only: a file with an error is a fault. */
  readonly problems: readonly Problem[];
  readonly locate: Locate;
};

export type LocalWorkflow = {
  /** The file's name without `.yaml`; the name in the file may differ. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
};
