import { type Block, OWN_TOPICS, type Section, type Topic, type TopicName } from "../line/index.js";

export type { Block, Section, Topic } from "../line/index.js";

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
