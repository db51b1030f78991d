/** What `uwf setup` has been told; `null` where it has not. */
export type SetupRequest = {
  readonly provider: string | null;
  readonly baseUrl: string | null;
  /** The key itself, or `-` for stdin. */
  readonly apiKey: string | null;
  readonly model: string | null;
  readonly agent: string | null;
};

/** Everything that setup writes. */
export type SetupAnswers = {
  readonly provider: string;
  readonly baseUrl: string;
  /** `null`: the provider needs none. */
  readonly apiKey: { readonly variable: string; readonly value: string | null } | null;
  readonly model: string;
  /** Program and arguments; `null` leaves the configured agents alone. */
  readonly agent: readonly [string, ...string[]] | null;
};
