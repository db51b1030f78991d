import { HELP_TOPICS, type TopicName } from "../line/index.js";

// A topic of `uwf help <topic>`: one source for the terminal, the reference page and the man page.
//
// Texts are plain: a word between backticks is typed or read as it stands, nothing else is markup.

export type Block =
  | { readonly kind: "text"; readonly text: string }
  /** Printed as it is. */
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly (readonly [term: string, text: string])[] };

export type Section = { readonly title: string; readonly blocks: readonly Block[] };

export type Topic = {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly sections: readonly Section[];
};

export function defineTopic(name: TopicName, sections: readonly Section[]): Topic {
  return { name, summary: HELP_TOPICS[name], sections };
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
