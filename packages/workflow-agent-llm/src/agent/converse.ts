import type { Completion, CompletionToolCall, FailureReason } from "@uncaged/workflow-agent-kit";
import { assistant, resultsText, spoken, tool, user } from "../talk/index.js";
import { ask } from "./ask.js";
import type { Ended, Talk, Work } from "./types.js";
import { useTools } from "./use-tools.js";

/** Empty or cut off answers in a row that a model is told of; then it is given up. */
const MOST_REMINDERS = 2;

/** Says `message` and lets the model work until it replies. */
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
        ? failed(`it called tools after ${rounds} rounds of them`, "limit-reached")
        : failed("it called a tool, and has none", "bad-result");
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

/** What is wrong with an answer as a whole; `null`: nothing. */
function reminderFor({ unfinished, finish, text, toolCalls }: Completion): Reminder | null {
  if (unfinished !== null) {
    const helps = finish === "length";
    return { reason: unfinished, why: helps ? "limit-reached" : "refused", text: CUT_OFF, helps };
  }
  if (toolCalls.length > 0 || spoken(text).trim() !== "") return null;
  return { reason: "the answer is empty", why: "bad-result", text: EMPTY, helps: true };
}

const CUT_OFF =
  "Your answer was cut off at the length limit, and nothing in it was done. Go on in smaller steps, or give the whole reply again, shorter.";
const EMPTY =
  "Your answer was empty. Go on with a tool call, or give your reply in the format that was asked for.";

/** Runs the tools; gives what the model is told next. */
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
