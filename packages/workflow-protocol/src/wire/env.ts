/** Names of the environment variables that uwf and its agents share. */
export const ENV = {
  storageRoot: "UNCAGED_WORKFLOW_STORAGE_ROOT",
  storageRootShort: "WORKFLOW_STORAGE_ROOT",
  /** The head that uwf saw when it started the agent. */
  head: "UWF_HEAD",
  /** The token of the run; every process of the run carries it. */
  run: "UWF_RUN",
  /** The same for every run of one step: for what the agent must do once outside of the store. */
  stepKey: "UWF_STEP_KEY",
  /** The agent's command as it was chosen, program and arguments, without keys. */
  agent: "UWF_AGENT",
  /** Names of the variables, separated by commas, that hold keys: their values are taken out of what agents store. */
  keyNames: "UWF_KEY_NAMES",
  /** Set where `agents.<alias>.env` limits what the agent inherits: those names, separated by commas. */
  agentEnv: "UWF_AGENT_ENV",
  /** `off` where `agents.<alias>.resume` is false: every visit of a role begins a session of its own. */
  resume: "UWF_RESUME",
  /** Storage roots of other users, or open to them, that this user trusts: absolute paths, separated by colons. */
  trustedRoots: "UWF_TRUSTED_ROOTS",
  errorFormat: "UWF_ERROR_FORMAT",
  debug: "UWF_DEBUG",
  /** `node` or `bun`: forces the runtime of our launchers. */
  runtime: "UWF_RUNTIME",
  mockScenario: "UWF_MOCK_SCENARIO",
} as const;
