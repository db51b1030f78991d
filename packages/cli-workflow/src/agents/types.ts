/** An agent that can be offered to somebody. */
export type InstalledAgent = {
  /** Its program, `uwf-claude`. */
  readonly name: string;
  /** Version of what it drives, or what it still lacks; `null` when it tells nothing. */
  readonly note: string | null;
};
