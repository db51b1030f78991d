// Who plays a role. This list is the only place that says so: the help, README.md and docs/agents.md are made of it, and
// a step asks its sources in this order.

/** The first that says something of the role has it. */
export const WHO_PLAYS = [
  {
    source: "typed-for-role",
    words: "--agent <role>=<command>",
    where: "on the command line",
    brief: "`--agent <role>=<command>`",
    forPlayed: true,
  },
  {
    source: "typed",
    words: "--agent <command>",
    where: "on the command line; never for a role with `agent` in the workflow",
    brief: "`--agent <command>`",
    forPlayed: false,
  },
  {
    source: "user",
    words: "agentOverrides.<workflow>.<role>",
    where: "in your config.yaml: the name of an entry of `agents`",
    brief: "your `agentOverrides`",
    forPlayed: true,
  },
  {
    source: "workflow",
    words: "agent",
    where:
      "of the role in the workflow: a person (`human`) or another workflow. For such a role the list ends here",
    brief: "the workflow's own `agent`",
    forPlayed: true,
  },
  {
    source: "project",
    words: "agentOverrides.<workflow>.<role>",
    where: "in the project's `.workflows/config.yaml`: the name of an entry of your `agents`",
    brief: "the project's `agentOverrides`",
    forPlayed: false,
  },
  {
    source: "default",
    words: "defaultAgent",
    where: "in your config.yaml",
    brief: "your `defaultAgent`",
    forPlayed: false,
  },
] as const satisfies readonly WhoPlays[];

export type PlayerSource = (typeof WHO_PLAYS)[number]["source"];

type WhoPlays = {
  readonly source: string;
  /** As people write it. */
  readonly words: string;
  readonly where: string;
  /** Both in brief. */
  readonly brief: string;
  /** Whether it also counts for a role to which the workflow gives a person or another workflow. */
  readonly forPlayed: boolean;
};
