import type { JsonValue, Store } from "@uncaged/json-cas";
import type { Agent, AgentContext, Reply } from "../author/index.js";
import type { ChatPort } from "../llm/index.js";
import type { Meter } from "../report/index.js";
import type { OpenThread, Self } from "../thread/index.js";

/** Everything that is known once the command line, the thread and the role are. */
export type Prepared = {
  readonly agent: Agent;
  /** What the step says of its agent. */
  readonly command: string;
  readonly self: Self;
  readonly open: OpenThread;
  readonly role: string;
  readonly metaSchema: JsonValue;
  /** Finds the role's meta without the disk. */
  readonly types: Pick<Store, "get">;
  readonly context: AgentContext;
  readonly promptSeen: () => string;
  readonly meter: Meter;
};

/** The way to a model; tests bring their own. */
export type MakePort = (signal: AbortSignal) => Promise<ChatPort>;

/** A run whose agent has replied. */
export type Replied = {
  readonly prepared: Prepared;
  readonly reply: Exclude<Reply, { readonly kind: "failed" }>;
  /** What the agent was sent; "" when it never looked at its prompt. */
  readonly asked: string;
  /** Epoch ms. */
  readonly startedAt: number;
};
