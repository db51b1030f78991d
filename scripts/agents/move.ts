import type { IncomingMessage, ServerResponse } from "node:http";

// What a model of the test does and is asked, whatever API its agent speaks.

/** What the model does when it is asked for the next time. */
export type Move =
  | { readonly kind: "says"; readonly text: string }
  | { readonly kind: "calls"; readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly kind: "fails"; readonly status: number };

/** The texts of the messages of one request, in order, with who said them. */
export type Asked = readonly { readonly role: string; readonly text: string }[];

/** What each model call costs, cached tokens in the prompt's. */
export const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 10,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 20 },
} as const;

/** One way to ask a model. */
export type Api = {
  readonly isAsked: (request: IncomingMessage) => boolean;
  /** Whether a request is about the task, and not a title or the like, which agents ask for as well. */
  readonly isTask: (body: object) => boolean;
  readonly messagesOf: (body: object) => Asked;
  /** `call` counts the requests about the task, from 1. */
  readonly play: (move: Move, call: number, response: ServerResponse) => void;
};
