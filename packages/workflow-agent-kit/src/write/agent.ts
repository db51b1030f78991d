import type { JsonObject } from "@uncaged/json-cas";
import { fault } from "@uncaged/workflow-protocol";
import type { Agent, AgentReply, SessionFacts } from "../author/index.js";
import type { Facts } from "./facts.js";

export type Given = {
  /** What the agent calls itself. */
  readonly name: string;
  /** The reply as the author's program got it. */
  readonly reply:
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "output"; readonly value: JsonObject };
  readonly facts: Facts;
};

/** An agent whose work is done already: it hands over what it was given, and can be asked nothing more. */
export function doneAgent(given: Given): Agent {
  const { name, facts } = given;
  return {
    name,
    version: null,
    outside: true,
    dotEnv: "all",
    run: (context) => handOver(given, context.prompt),
    continue: typeof facts.sessionId === "string" ? (id, message) => goOn(given, id, message) : null,
  };
}

function handOver({ reply, facts }: Given, asked: string): AgentReply {
  const { toolCalls, ...session } = facts;
  const output = reply.kind === "text" ? reply.text : "";
  const turns: SessionFacts["turns"] =
    toolCalls === null ? [] : [{ input: asked, output, toolCalls, tokens: null, latencyMs: null }];
  return { ...reply, session: { turns, ...session } };
}

/** The session of the last visit was gone on in only if the author says that it is this one. */
function goOn(given: Given, sessionId: string, message: string): AgentReply {
  if (given.facts.sessionId === sessionId) return handOver(given, message);
  const reason = `the reply comes from session ${given.facts.sessionId}`;
  return {
    kind: "failed",
    sessionLost: true,
    fault: fault("INVALID_INPUT", { what: `session ${sessionId}`, reason }),
  };
}
