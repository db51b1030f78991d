import type { JsonValue } from "@uncaged/json-cas";
import type { TriedTransition } from "@uncaged/workflow-moderator";
import type { PlayedScenario, ScenarioFailure } from "@uncaged/workflow-protocol";

/** A decision: after which role (or $START), and what was tried up to the transition that matched. */
export type Decided = { readonly from: string; readonly tried: readonly TriedTransition[] };

/** What is wrong with a step. */
export type Found = Pick<ScenarioFailure, "kind" | "message" | "hint" | "expected" | "got" | "problems"> & {
  /** The keys that lead to what is to blame in the scenario; `null`: nothing is. */
  readonly place: readonly (string | number)[] | null;
};

/** The same, with the step; its position in the scenario's file is not known yet. */
export type Unplaced = Found & Pick<ScenarioFailure, "step" | "after" | "transitions">;

/** How a scenario went. */
export type Played = {
  readonly steps: readonly { readonly role: string; readonly output: JsonValue }[];
  readonly decided: readonly Decided[];
  readonly end: PlayedScenario["end"];
  readonly failure: Unplaced | null;
  /** The replies that were made up for roles that had none. */
  readonly added: ReadonlyMap<string, string>;
};
