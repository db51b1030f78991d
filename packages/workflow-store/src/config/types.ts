import type { Problem } from "@uncaged/workflow-protocol";
import type { Position } from "../shape.js";
import type { WorkflowConfig } from "./shape.js";

/** Whatever knows the storage root: a `Storage`, or the root alone. */
export type AtRoot = { readonly root: string };

export type LoadedConfig = {
  readonly file: string;
  /** `null`: there is no config.yaml. */
  readonly config: WorkflowConfig | null;
  /** Warnings only: a file with an error is a fault. */
  readonly warnings: readonly Problem[];
  /** Where what these keys lead to is in the file. */
  readonly at: (...keys: readonly string[]) => Position;
};

export type DotEnv = {
  readonly file: string;
  /** Variables that are already set take precedence; the caller that merges them ensures that. */
  readonly variables: Readonly<Record<string, string>>;
  /** A sentence when others can read the file. */
  readonly warning: string | null;
};

/** What `uwf setup` wants in config.yaml; `null` leaves that part as it is. */
export type ConfigChanges = {
  readonly provider: {
    readonly name: string;
    readonly baseUrl: string;
    /** `null`: the provider needs no key. */
    readonly apiKeyEnv: string | null;
  } | null;
  readonly model: { readonly alias: string; readonly provider: string; readonly name: string } | null;
  readonly agent: {
    readonly alias: string;
    readonly command: string;
    /** `null` keeps the arguments that the agent has, none if it is new. */
    readonly args: readonly string[] | null;
  } | null;
  /** Further agents, for aliases that are not there yet. */
  readonly aliases: readonly {
    readonly alias: string;
    readonly command: string;
    readonly args: readonly string[];
  }[];
  readonly defaultModel: string | null;
  readonly defaultAgent: string | null;
};

export type ConfigTexts = {
  /** `null` leaves the file alone. */
  readonly config: string | null;
  readonly env: string | null;
};

export type ConfigPaths = { readonly config: string; readonly env: string };

/** A place that speaks the OpenAI chat completion protocol. */
export type ProviderPreset = {
  readonly name: string;
  readonly label: string;
  /** `null`: asked for. */
  readonly baseUrl: string | null;
  readonly needsKey: boolean;
};
