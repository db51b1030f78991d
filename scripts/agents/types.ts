import type { TriedVersion } from "../../packages/workflow-agent-cli/src/index.js";
import type { Move } from "./move.js";

/** Where a subject's run happens: folders of its own, never the user's. */
export type Place = {
  readonly home: string;
  /** The working folder of the agent. */
  readonly work: string;
  readonly baseUrl: string;
};

/** One real agent under one of our agents. */
export type Subject = {
  readonly name: string;
  readonly program: TriedVersion;
  /** `packages/<package>/bin/<command>`. */
  readonly agent: { readonly package: string; readonly command: string; readonly args: readonly string[] };
  readonly env: Readonly<Record<string, string>>;
  /** Writes the configuration that makes the program talk to the fake server. */
  readonly configure: (place: Place) => void;
  /** A call of the tool that runs a command of the shell. */
  readonly shell: (command: string) => Move;
  /** How many answers with 500 in a row end the program, and with it the step; `null`: it gets over one by itself. */
  readonly givesUpAfter: number | null;
  /** Whether it tells tokens of the whole run. */
  readonly tellsUsage: boolean;
};
