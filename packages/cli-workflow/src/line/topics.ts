/** The topics of `uwf help` with their summaries; their texts are in help/. */
export const HELP_TOPICS = {
  agents: "who plays a role, which agents there are, and how to write one",
  conditions: "what conditions see, and how to ask the usual questions",
  configuration: "config.yaml with every key, and what a project may set",
  environment: "the variables that uwf reads, and those that an agent gets",
  "exit-codes": "what each exit code means, and whether a retry helps",
  remotes: "threads in PostgreSQL, stepped by workers on several machines",
  scenarios: "play a workflow without a model",
  storage: "where uwf keeps its files, and how to back them up, move and clean them",
  workflows: "the format of a workflow file, with every key",
} as const;

export type TopicName = keyof typeof HELP_TOPICS;
