import type { Totals } from "../session/index.js";

/** The process around the agent. */
export type Port = {
  readonly cwd: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
};

/** Where a session stood when we last looked: what a resume adds is counted from here. */
export type Mark = { readonly totals: Totals | null; readonly lastMessage: number };
