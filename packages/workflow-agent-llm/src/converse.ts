import type {
  Completion,
  CompletionFailure,
  CompletionToolCall,
  FailureReason,
  JsonObject,
  Result,
  ToolCallFacts,
  TurnFacts,
} from "@uncaged/workflow-agent-kit";
import { addUsage, usageOfAnswer } from "@uncaged/workflow-agent-kit";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import type { Ended, Talk, Work } from "./agent.js";
import { type Answer, callTool, describeTools } from "./tools.js";

/** The newest results are not cut: the model is working with them. */
const NEWEST = 4;

/** Characters that are kept of a result that is cut. */
const KEPT = 200;

const NOTE = "\n[cut off to save room; call the tool again if it is needed]";

function sizeOf(messages: readonly JsonObject[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
}

/**
 * Cuts the oldest tool results until the conversation has at most `limit` characters, if possible. `true`: something was
 * cut. They stay cut: servers cache an unchanged beginning.
 */
function makeRoom(messages: JsonObject[], limit: number): boolean {
  let over = sizeOf(messages) - limit;
  let cut = false;
  const results = [...messages.entries()].filter(([, { role }]) => role === "tool");
  for (const [at, message] of results.slice(0, -NEWEST)) {
    if (over <= 0) break;
    const { content } = message;
    if (typeof content !== "string" || content.length <= KEPT + NOTE.length) continue;
    messages[at] = { ...message, content: content.slice(0, KEPT) + NOTE };
    over -= content.length - KEPT - NOTE.length;
    cut = true;
  }
  return cut;
}

/** Whether the request exceeds the model's context. */
export function isTooLong({ status, reason }: CompletionFailure): boolean {
  return status === 413 || (status === 400 && /context|too (?:long|large|many tokens)|maximum/i.test(reason));
}

/** The time limit of one answer, for a server that sends only keep-alives. */
const ANSWER_MS = 30 * 60_000;

/** The part of the limit to cut down to: leaves room for some rounds, so that not every one cuts. */
const AFTERWARDS = 0.7;

type Answered = Result<Completion, CompletionFailure>;

/** The model's next answer, with its turn in the trace. `input` is what was added since the last one. */
async function ask(work: Work, talk: Talk, input: string, toolChoice: "none" | null): Promise<Answered> {
  const startedAt = work.port.now();
  const answer = await completed(work, talk, toolChoice);
  if (!answer.ok) return answer;
  const { text, tokens } = answer.value;
  const used = usageOfAnswer(answer.value);
  talk.usage = talk.turns.length === 0 ? used : addUsage(talk.usage, used);
  const latencyMs = Math.max(0, work.port.now() - startedAt);
  talk.turns.push({ input, output: text, toolCalls: [], tokens, latencyMs });
  work.report({ model: work.model.name, usage: talk.usage, words: work.model.conceal(text) });
  return answer;
}

/** Cuts the oldest results of a conversation that is too long, more at each attempt. */
async function completed(
  { model, options, tools, shop }: Work,
  { messages }: Talk,
  toolChoice: "none" | null,
): Promise<Answered> {
  const { contextLimit, more, idleMs, wordlessMs } = options;
  if (sizeOf(messages) > contextLimit) makeRoom(messages, contextLimit * AFTERWARDS);
  for (;;) {
    const answer = await model.complete({
      messages,
      tools: describeTools(tools),
      toolChoice,
      more,
      timeoutMs: ANSWER_MS,
      idleMs,
      wordlessMs,
      signal: shop.signal,
      onActivity: shop.heartbeat,
    });
    if (answer.ok || !isTooLong(answer.error) || !makeRoom(messages, sizeOf(messages) / 2)) return answer;
  }
}

/** Tool calls in one answer; a model in a loop would write them without end. */
const MOST_CALLS = 32;

/** Runs the calls one after the other, in the model's order. */
async function useTools(work: Work, calls: readonly CompletionToolCall[]): Promise<readonly ToolCallFacts[]> {
  const facts: ToolCallFacts[] = [];
  for (const [index, call] of calls.entries()) {
    const startedAt = work.port.now();
    const answer = index < MOST_CALLS ? await use(work, call) : TOO_MANY;
    const durationMs = Math.max(0, work.port.now() - startedAt);
    facts.push({ name: call.name, arguments: call.raw, result: answer.result, durationMs });
    work.port.stderr(lineOf(work, call, answer));
  }
  return facts;
}

const TOO_MANY: Answer = { result: `Error: not run: more than ${MOST_CALLS} calls at once.`, ok: false };

async function use({ tools, shop }: Work, call: CompletionToolCall): Promise<Answer> {
  if (shop.signal.aborted) return { result: "Error: not run: the agent is being ended.", ok: false };
  shop.heartbeat();
  return callTool(tools, call, shop);
}

const LONGEST = 100;

/** Progress for a person who watches. */
function lineOf({ kind, model }: Work, call: CompletionToolCall, { result, ok }: Answer): string {
  const [first = ""] = result.split("\n", 1);
  const text = `${call.name} ${call.raw}`.replace(/\s+/g, " ").slice(0, LONGEST);
  return model.conceal(sanitizeTerminal(`uwf-${kind}: ${text}${ok ? "" : `: ${first.slice(0, LONGEST)}`}`));
}

/** Empty or cut off answers in a row before we give up. */
const MOST_REMINDERS = 2;

/** Sends `message` and runs tools until the model replies. */
export async function converse(work: Work, talk: Talk, message: string): Promise<Ended> {
  talk.messages.push(user(message));
  let input = message;
  let [rounds, reminders] = [0, 0];
  for (;;) {
    const last = work.tools.length > 0 && rounds >= work.options.maxRounds;
    const answered = await ask(work, talk, input, last ? "none" : null);
    if (!answered.ok) return { kind: "failed", ...answered.error };
    const answer = answered.value;
    const reminder = reminderFor(answer);
    if (reminder !== null) {
      reminders += 1;
      if (work.kind === "llm" || !reminder.helps || reminders > MOST_REMINDERS)
        return failed(reminder.reason, reminder.why);
      talk.messages.push(assistant(answer.text, []), user(reminder.text));
      input = reminder.text;
    } else if (answer.toolCalls.length === 0) {
      talk.messages.push(assistant(answer.text, []));
      return { kind: "said", text: spoken(answer.text) };
    } else if (last || work.tools.length === 0) {
      return last
        ? failed(`it called tools after ${rounds} rounds, the limit`, "limit-reached")
        : failed("it called a tool but has none", "bad-result");
    } else {
      [rounds, reminders] = [rounds + 1, 0];
      input = await round(work, talk, answer, rounds);
    }
  }
}

function failed(words: string, reason: FailureReason): Ended {
  return { kind: "failed", reason: words, status: null, why: { reason } };
}

type Reminder = {
  readonly reason: string;
  readonly why: FailureReason;
  readonly text: string;
  readonly helps: boolean;
};

/** What is wrong with the whole answer; `null`: nothing. */
function reminderFor({ unfinished, finish, text, toolCalls }: Completion): Reminder | null {
  if (unfinished !== null) {
    const helps = finish === "length";
    return { reason: unfinished, why: helps ? "limit-reached" : "refused", text: CUT_OFF, helps };
  }
  if (toolCalls.length > 0 || spoken(text).trim() !== "") return null;
  return { reason: "the answer is empty", why: "bad-result", text: EMPTY, helps: true };
}

const CUT_OFF =
  "Your answer was cut off at the length limit, and none of its tool calls was run. Continue in smaller steps, or give the complete reply again, shorter.";
const EMPTY =
  "Your answer was empty. Continue with a tool call, or give your reply in the format that was asked for.";

/** Runs the tools; returns the next input of the model. */
async function round(work: Work, talk: Talk, answer: Completion, rounds: number): Promise<string> {
  const facts = await useTools(work, answer.toolCalls);
  const turn = talk.turns.pop();
  if (turn !== undefined) talk.turns.push({ ...turn, toolCalls: facts });
  const results = facts.map(({ result }) => result);
  talk.messages.push(
    assistant(
      answer.text,
      answer.toolCalls.map(({ whole }) => whole),
    ),
    ...answer.toolCalls.map((call: CompletionToolCall, index) => tool(call.id, results[index] ?? "")),
  );
  if (rounds < work.options.maxRounds) return resultsText(results);
  const note = `That was round ${rounds}, the last one with tools. Give your reply now, in the format that was asked for, and say what is not done.`;
  talk.messages.push(user(note));
  return resultsText([...results, note]);
}

// Messages in the API's format.

export function user(content: string): JsonObject {
  return { role: "user", content };
}

/** Some servers refuse an empty message, and an empty text next to tool calls. */
export function assistant(text: string, calls: readonly JsonObject[]): JsonObject {
  if (calls.length === 0) return { role: "assistant", content: text.trim() === "" ? "(no answer)" : text };
  return { role: "assistant", content: text === "" ? null : text, tool_calls: calls };
}

export function tool(id: string, content: string): JsonObject {
  return { role: "tool", tool_call_id: id, content };
}

/** An answer without the thoughts before it; some servers omit their opening tag. */
export function spoken(text: string): string {
  const end = text.indexOf("</think>");
  const begin = text.indexOf("<think>");
  const thinksFirst = end !== -1 && (begin === -1 || text.slice(0, begin).trim() === "");
  return thinksFirst ? text.slice(end + "</think>".length).trimStart() : text;
}

/** The messages of these turns, to send again to a stateless API. */
export function messagesOf(turns: readonly TurnFacts[]): readonly JsonObject[] {
  return turns.flatMap((turn, index) => {
    const calls = turn.toolCalls.map((call, place) => ({ call, id: idOf(index, place) }));
    return [
      ...asked(turn.input, turns[index - 1] ?? null),
      assistant(
        turn.output,
        calls.map(({ call, id }) => wholeCall(call, id)),
      ),
      ...calls.map(({ call, id }) => tool(id, call.result)),
    ];
  });
}

/** The beginning of a turn after one with tool calls. */
function resultsText(results: readonly string[]): string {
  return results.join("\n\n");
}

/** The results are already with their calls; keep only the rest. */
function asked(input: string, before: TurnFacts | null): readonly JsonObject[] {
  if (before === null || before.toolCalls.length === 0) return input === "" ? [] : [user(input)];
  const results = resultsText(before.toolCalls.map(({ result }) => result));
  const rest = input.startsWith(results) ? input.slice(results.length).trimStart() : input;
  return rest === "" ? [] : [user(rest)];
}

function wholeCall({ name, arguments: given }: ToolCallFacts, id: string): JsonObject {
  return { id, type: "function", function: { name, arguments: isJsonObject(given) ? given : "{}" } };
}

/** Nine letters and digits: Mistral accepts no other ids. */
function idOf(turn: number, place: number): string {
  return `c${String(turn).padStart(5, "0").slice(-5)}${String(place).padStart(3, "0").slice(-3)}`;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
