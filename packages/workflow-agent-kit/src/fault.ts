import {
  type FailureReason,
  type Fault,
  hintOf,
  messageOf,
  type Result,
  reportOf,
  type Why,
} from "@uncaged/workflow-protocol";
import { sanitizeTerminal } from "@uncaged/workflow-util";

/** A fault on its way through code that cannot return one: a getter of the context, a generator. */
export class FaultError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.code);
    this.name = "FaultError";
    this.fault = fault;
  }
}

export function orThrow<T>(result: Result<T, Fault>): T {
  if (result.ok) return result.value;
  throw new FaultError(result.error);
}

/** `error[CODE]: …` and `hint: …`, or one JSON object. It may contain replies, so terminal codes are removed. */
export function renderFault(fault: Fault, asJson: boolean): string {
  if (asJson) return `${JSON.stringify(reportOf(fault))}\n`;
  return sanitizeTerminal(`error[${fault.code}]: ${messageOf(fault)}\nhint: ${hintOf(fault)}\n`);
}

// Agents pass on what their provider said, with its status or in its words. The first kind that fits counts: a full
// context can come as HTTP 400, an empty account as 429.
const KINDS: readonly (readonly [FailureReason, RegExp])[] = [
  [
    "context-overflow",
    /context_length_exceeded|context[_ ]overflow|maximum context length|context window|prompt is too long|input token count|input is too long/i,
  ],
  [
    "quota",
    /insufficient[_ ](?:quota|credits?|balance|funds)|exceeded your current quota|quota exceeded|credit balance|payment required|billing[_ ](?:error|hard|not)/i,
  ],
  [
    "rate-limit",
    /(?<!--)rate.?limit(?!er)|too many requests|(?:usage|session|5-hour|weekly) limit|limit reached.*resets|RESOURCE_EXHAUSTED/i,
  ],
  [
    "auth",
    /(?:invalid|incorrect|missing|no|expired)[_ ](?:x-)?api.?key|api key (?:is )?(?:not|missing|invalid|expired|empty)|\w_API_KEY (?:is )?(?:not|missing)|unauthori[sz]ed|authentication[_ ](?:failed|error|required)|failed to authenticate|not logged in|run \/login|auth_required|permission_error/i,
  ],
  [
    "limit-reached",
    /error_max_\w+|max(?:imum)?[_ ](?:number of )?(?:session )?(?:turns|iterations|rounds)|turn limit|limit of (?:iterations|tokens|requests)|length limit/i,
  ],
  ["refused", /model refused|content.?(?:filter|policy)|usage policy/i],
  [
    "network",
    /ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ENETUNREACH|fetch failed|connection (?:error|refused|reset|closed)|stream disconnected|overloaded|high demand|could not be reached|service unavailable/i,
  ],
  ["timeout", /no answer within|did not answer/i],
];

/** `HTTP 401`, `API Error: 401`, `unexpected status 401`, `last status: 429`, `Error code: 401`. */
const STATUS = /(?:\bHTTP|\bstatus(?: code)?:?|error code:|API Error:?)\s*[("]*([45]\d\d)\b/i;

/** What is known of a failure besides its words. */
type Known = {
  /** The provider's HTTP status. */
  readonly status?: number | null | undefined;
  /** Seconds. */
  readonly retryAfter?: number | null | undefined;
};

/** Why an agent failed, according to a status or else its words. */
export function whyOf(words: string, { status = null, retryAfter = null }: Known = {}): Why {
  const wait = retryAfter === null ? waitIn(words) : Math.ceil(retryAfter);
  const known = status === null ? reasonInWords(words) : reasonBy(status, words);
  // A quota that fills up again in a while by itself is a rate.
  const reason = known === "quota" && wait !== null ? "rate-limit" : known;
  if (reason === null) return {};
  return reason === "rate-limit" && wait !== null ? { reason, retryAfter: wait } : { reason };
}

/** Words may be about the work: a page that gave 403 or 404 says nothing of the agent. */
function reasonInWords(words: string): FailureReason | null {
  const status = Number(STATUS.exec(words)?.[1] ?? Number.NaN);
  return status === 403 || status === 404 ? kindOf(words) : reasonBy(status, words);
}

function kindOf(words: string): FailureReason | null {
  return KINDS.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}

function reasonBy(status: number, words: string): FailureReason | null {
  const kind = kindOf(words);
  switch (status) {
    case 401:
      return "auth";
    case 402:
      return "quota";
    case 403:
      return kind === "quota" || kind === "refused" ? kind : "auth";
    case 413:
      return "context-overflow";
    case 429:
      return kind === "quota" ? kind : "rate-limit";
    case 408:
      return "network";
    default:
      if (status >= 400 && status < 500) return kind ?? "refused";
      return status >= 500 && status < 600 ? "network" : kind;
  }
}

// Complete words: `2 more attempts` and `5 months` are not times to wait.
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milliseconds?)$/i, 0.001],
  [/^(?:|s|secs?|seconds?)$/i, 1],
  [/^(?:m|mins?|minutes?)$/i, 60],
  [/^(?:h|hrs?|hours?)$/i, 3600],
  [/^(?:d|days?)$/i, 86_400],
];

/** `try again in 20s`, `retry after 1 hour 5 minutes`, `Retry-After: 20`: seconds. */
function waitIn(words: string): number | null {
  const waitText = /(?:try again|retry|resets)[ -](?:in|after)[: ]+((?:\d+(?:\.\d+)?\s*[a-z]*[\s,]*)+)/i.exec(
    words,
  );
  const parts = [...(waitText?.[1] ?? "").matchAll(/(\d+(?:\.\d+)?)\s*([a-z]*)/gi)].map(
    ([, amount, unit = ""]) => Number(amount) * (UNITS.find(([name]) => name.test(unit))?.[1] ?? Number.NaN),
  );
  const seconds = parts.filter((part) => !Number.isNaN(part)).reduce((sum, part) => sum + part, 0);
  return seconds > 0 ? Math.ceil(seconds) : null;
}
