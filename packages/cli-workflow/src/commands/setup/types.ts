/** What `uwf setup` has been told; `null` where it has not. */
export type SetupRequest = {
  readonly provider: string | null;
  readonly baseUrl: string | null;
  /** The key itself, or `-` for stdin. */
  readonly apiKey: string | null;
  readonly model: string | null;
  readonly agent: string | null;
};

/** Everything that setup writes; what is `null` stays as it is. */
export type SetupAnswers = {
  /** `null`: the agent has a login of its own. */
  readonly provider: SetupProvider | null;
  /** The model's name at the provider. */
  readonly model: { readonly provider: string; readonly name: string } | null;
  /** Program and arguments. */
  readonly agent: readonly [string, ...string[]] | null;
};

export type SetupProvider = {
  readonly name: string;
  readonly baseUrl: string;
  /** `null`: the provider needs none. */
  readonly apiKey: { readonly variable: string; readonly value: string | null } | null;
};
