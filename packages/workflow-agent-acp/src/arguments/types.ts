/** What a tool call does, in the protocol's words. */
export const KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

export type Kind = (typeof KINDS)[number];

/** uwf-acp's own words, after the gate. */
export type Options = {
  /** Allowed wherever they lead. */
  readonly allow: ReadonlySet<Kind>;
  /** Never allowed; stronger than `allow`. */
  readonly deny: ReadonlySet<Kind>;
  /** The words of commands that are allowed whatever they do; a last `*` stands for any words. */
  readonly commands: readonly (readonly string[])[];
  readonly model: string | null;
  /** Without a message and without a tool at work; `null` is no limit. */
  readonly idleSeconds: number | null;
  /** The agent's own command; none only for `--check`. */
  readonly command: readonly string[];
};

export type Parsed =
  | { readonly ok: true; readonly options: Options }
  /** A sentence. */
  | { readonly ok: false; readonly reason: string };
