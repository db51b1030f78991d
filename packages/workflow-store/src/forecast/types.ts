import type { Storage } from "../storage/index.js";

/** Where the forecast is, which any storage tells. */
export type ForecastPlace = Pick<Storage, "paths">;

/** A file as it was: its size in bytes and the time of its last change in epoch ms, rounded down. */
export type Stamp = { readonly size: number; readonly modified: number };

/** The agent that a step runs whatever its role is, and what its environment is made of. */
export type Forecast = {
  /** What `--agent` said, as typed; `null`: nothing. */
  readonly asked: string | null;
  /** An absolute path. */
  readonly command: string;
  /** That file, which was one of our launchers. */
  readonly launcher: Stamp;
  /** config.yaml, which said the rest; `null`: there was none. */
  readonly config: Stamp | null;
  readonly args: readonly string[];
  /** Names of the variables that it gets; `null`: all. */
  readonly passed: readonly string[] | null;
  /** Whether it may continue its sessions. */
  readonly resume: boolean;
  /** The variables that hold the providers' keys. */
  readonly keyNames: readonly string[];
};
