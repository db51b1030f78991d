import { ADDED_TOPICS } from "./added.made.js";

export type Block =
  | { readonly kind: "text"; readonly text: string }
  /** Printed as it is. */
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly (readonly [term: string, text: string])[] };

export type Section = { readonly title: string; readonly blocks: readonly Block[] };

/**
 * A topic of `uwf help <topic>`: one source for the terminal, the reference page and the man page. Its texts are plain: a word
 * between backticks is typed or read as it stands, nothing else is markup.
 */
export type Topic = {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly sections: readonly Section[];
};

/** The topics of uwf's own, with their summaries; their texts are in help/. */
export const OWN_TOPICS = {
  agents: "who plays a role, which agents there are, and how to write one",
  conditions: "what conditions see, and how to ask the usual questions",
  configuration: "config.yaml with every key, and what a project may set",
  environment: "the variables that uwf reads, and those that an agent gets",
  "exit-codes": "what each exit code means, and whether a retry helps",
  scenarios: "play a workflow without a model",
  storage: "where uwf keeps its files, and how to back them up, move and clean them",
  workflows: "the format of a workflow file, with every key",
} as const;

export type TopicName = keyof typeof OWN_TOPICS;

/** The topics of `uwf help` with their summaries, those of add-ons included. */
export const HELP_TOPICS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ ...OWN_TOPICS, ...ADDED_TOPICS }).sort(([a], [b]) => (a < b ? -1 : 1)),
);

export function defineTopic(name: TopicName, sections: readonly Section[]): Topic {
  return { name, summary: OWN_TOPICS[name], sections };
}

/** A section; a string is a paragraph. */
export function section(title: string, ...blocks: readonly (Block | string)[]): Section {
  return {
    title,
    blocks: blocks.map((block) => (typeof block === "string" ? { kind: "text", text: block } : block)),
  };
}

export function code(text: string): Block {
  return { kind: "code", text };
}

export function list(...items: readonly (readonly [term: string, text: string])[]): Block {
  return { kind: "list", items };
}
