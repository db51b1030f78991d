import { fieldsOf, isFields, listOf, textOf } from "../wire/index.js";
import { failed, failureOf } from "./outcome.js";
import type { Failure, Introduced, Talk } from "./types.js";

/** The version that stands; the next one is a draft. */
const PROTOCOL = 1;

/** We read and write nothing for the agent, and run nothing: it has tools of its own. */
const CAPABILITIES = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

/** Seen in 1.18: two calls of the model, and the usage of the second. */
const COUNTS_LAST_CALL = "OpenCode";

type Introduction =
  | { readonly ok: true; readonly introduced: Introduced }
  | { readonly ok: false; readonly failure: Failure };

export async function introduce({ connection, limits }: Talk, version: string): Promise<Introduction> {
  const answer = await connection.request(
    "initialize",
    {
      protocolVersion: PROTOCOL,
      clientInfo: { name: "uwf-acp", version },
      clientCapabilities: CAPABILITIES,
    },
    limits.startMs,
  );
  if (answer.kind !== "result") return { ok: false, failure: failureOf("initialize", answer) };
  const told = fieldsOf(answer.value);
  if (told.protocolVersion === PROTOCOL) return { ok: true, introduced: introducedOf(told) };
  const spoken = JSON.stringify(told.protocolVersion) ?? "none";
  return {
    ok: false,
    failure: failed(`speaks version ${spoken} of the Agent Client Protocol, not ${PROTOCOL}`),
  };
}

function introducedOf({
  agentInfo,
  agentCapabilities,
  authMethods,
}: ReturnType<typeof fieldsOf>): Introduced {
  const { name, title, version } = fieldsOf(agentInfo);
  const words = [textOf(title) ?? textOf(name), textOf(version)].filter((word) => word !== null);
  const capabilities = fieldsOf(agentCapabilities);
  return {
    agent: words.length === 0 ? null : words.join(" "),
    countsLastCall: name === COUNTS_LAST_CALL,
    canResume: isFields(fieldsOf(capabilities.sessionCapabilities).resume),
    canLoad: capabilities.loadSession === true,
    logins: listOf(authMethods).flatMap((method) => textOf(method.name) ?? textOf(method.id) ?? []),
  };
}
