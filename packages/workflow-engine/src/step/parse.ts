import { parseHash } from "@uncaged/json-cas";
import { type CasRef, err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { givenFolder } from "../folder.js";
import type { Host } from "../host.js";
import { splitWords } from "../words.js";
import { checkTimes } from "./agent-environment.js";
import type { RawStepRequest, StepRequest, TypedAgent } from "./types.js";

/** Stage 1: the command line as a request; no lock yet. */
export function parse(raw: RawStepRequest, host: Pick<Host, "cwd" | "env">): Result<StepRequest, Fault> {
  const { thread, waitMs, retries, until } = raw;
  const times = checkTimes(host.env);
  if (!times.ok) return times;
  const cwd = givenFolder(host.cwd, raw.cwd);
  if (!cwd.ok) return cwd;
  const expect = expectedHead(raw.expect);
  if (!expect.ok) return expect;
  const agents = typedAgents(raw.agents);
  if (!agents.ok) return agents;
  return ok({
    thread,
    agents: agents.value,
    answer: null,
    cwd: cwd.value,
    expect: expect.value,
    waitMs,
    retries,
    until,
  });
}

/** A whole hash: a part of one may come to mean another head. */
function expectedHead(text: string | null): Result<CasRef | null, Fault> {
  if (text === null) return ok(null);
  const hash = parseHash(text);
  return hash === null ? err(fault("MALFORMED_HASH", { value: text })) : ok(hash);
}

/** `maker=uwf-mock --fast`: the part before `=` is a role if it can be the name of one. */
const FOR_ROLE = /^([A-Za-z_][\w-]*)=(.+)$/s;

function typedAgents(texts: readonly string[]): Result<readonly TypedAgent[], Fault> {
  const agents: TypedAgent[] = [];
  for (const given of texts) {
    const [, role = null, text = given] = FOR_ROLE.exec(given) ?? [];
    const words = splitWords(text);
    if (!words.ok) return words;
    if (agents.some((other) => other.role === role)) {
      const reason = role === null ? "--agent is given twice" : `--agent ${role}=… is given twice`;
      return err(fault("USAGE", { reason, usage: "see `uwf help thread step`" }));
    }
    agents.push({ role, text, words: words.value });
  }
  return ok(agents);
}
