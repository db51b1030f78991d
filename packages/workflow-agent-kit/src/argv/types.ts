/** What an agent's command line asks for. */
export type AgentCommand =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "usage"; readonly reason: string }
  | {
      readonly kind: "run";
      /** The agent's own words, before the two that uwf adds. */
      readonly args: readonly string[];
      readonly thread: string;
      readonly role: string;
    };
