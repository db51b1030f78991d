import type { Adapter } from "../adapters/index.js";

/** What has to be known of a CLI to look for it. */
export type Checkable = Pick<Adapter, "name" | "programs" | "login">;

/** What `--check` prints. */
export type Report = {
  readonly agent: string;
  readonly program: string;
  readonly installed: boolean;
  readonly path: string | null;
  /** As the program tells it; `null` when it does not. */
  readonly version: string | null;
  /** `null`: offline it cannot be told. */
  readonly loggedIn: boolean | null;
  /** By what it is logged in, or what to do. */
  readonly how: string;
};
