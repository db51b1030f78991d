/** Names of the environment variables that uwf and its agents share. */
export const ENV = {
  storageRoot: "UNCAGED_WORKFLOW_STORAGE_ROOT",
  storageRootShort: "WORKFLOW_STORAGE_ROOT",
  /** The head that uwf saw when it started the agent. */
  head: "UWF_HEAD",
  /** The token of the run; every process of the run carries it. */
  run: "UWF_RUN",
  errorFormat: "UWF_ERROR_FORMAT",
  debug: "UWF_DEBUG",
  /** `node` or `bun`: forces the runtime of our launchers. */
  runtime: "UWF_RUNTIME",
  mockScenario: "UWF_MOCK_SCENARIO",
} as const;
