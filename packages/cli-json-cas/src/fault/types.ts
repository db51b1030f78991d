import type { CasFault } from "@uncaged/json-cas";

/** What the commands can find wrong before they touch the store. */
export type InputFault =
  | { readonly code: "INVALID_INPUT"; readonly what: string; readonly reason: string }
  | { readonly code: "FILE_NOT_FOUND"; readonly path: string; readonly reason: string }
  | {
      readonly code: "TOO_LARGE";
      readonly what: string;
      readonly size: number | null;
      readonly limit: number;
    };

/** Every expected failure of a command of the group. */
export type CasCommandFault = CasFault | InputFault;

/** A line that cannot be understood; only the binary itself gives it, a host has its own. */
export type UsageFault = { readonly code: "USAGE"; readonly reason: string; readonly usage: string };

export type BugFault = { readonly code: "BUG"; readonly reason: string };

export type CliFault = CasCommandFault | UsageFault | BugFault;

export type ExitCode = 0 | 1 | 2 | 3 | 4 | 7 | 74 | 75;
