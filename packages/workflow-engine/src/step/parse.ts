import { parseHash } from "@uncaged/json-cas";
import { type CasRef, err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { split } from "shlex";
import { givenFolder, type Host } from "../host.js";
import { checkTimes } from "./agent-program.js";
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

/** What most are: one word, plain or in single quotes. A reader that knows all of a shell's quoting takes 0.2 ms. */
const ONE_WORD = /^(?:([\w./:@%+=,-]+)|'([^']+)')$/;

/** A command line as program and arguments, split as a shell would and never run by one. */
export function splitWords(text: string): Result<readonly [string, ...string[]], Fault> {
  const [, plain, quoted] = ONE_WORD.exec(text) ?? [];
  const word = plain ?? quoted;
  if (word !== undefined) return ok([word]);
  const shell = shellSyntax(text);
  if (shell !== null) return refuse(text, shell);
  try {
    const [program, ...args] = split(text);
    if (program === undefined || program === "") return refuse(text, "it is empty");
    return ok([program, ...args]);
  } catch (error) {
    return refuse(text, (error as Error).message);
  }
}

function refuse(text: string, reason: string): Result<never, Fault> {
  return err(fault("MALFORMED_AGENT_COMMAND", { text, reason }));
}

/** What only a shell would carry out, outside of quotes: as an argument of the program it would do something else, or nothing. */
function shellSyntax(text: string): string | null {
  const bare = text.replace(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, "_");
  const [, operator] = /(?:^|\s)(&&|\|\|?|&|;|\d?>>?(?:&\d)?|<{1,2})(?=\s|$)/.exec(bare) ?? [];
  const found = operator ?? /(?:^|\s)(\d?>>?&?[\w./-]+)/.exec(bare)?.[1] ?? /;(?=\s|$)/.exec(bare)?.[0];
  return found === undefined
    ? null
    : `no shell runs it, which ${found} needs; write a script, or: sh -c '<line> "$@"' sh`;
}
