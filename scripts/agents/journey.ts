import { join } from "node:path";
import type { FakeLlm } from "./fake-llm.js";
import { EXPECTED, TASK } from "./script.js";
import type { Tally } from "./tally.js";
import type { Subject } from "./types.js";
import { type Ran, ROOT, type World } from "./world.js";

/** More steps than the script has, one failed one included. */
const MAX_STEPS = EXPECTED.length + 3;

/** Registers solve-issue, starts a thread and steps it to its end; gives its head and what was said on stderr, or `null`. */
export async function stepToEnd(
  subject: Subject,
  world: World,
  tally: Tally,
): Promise<{ readonly head: string; readonly told: string } | null> {
  const put = await world.uwf("workflow", "put", join(ROOT, "examples/solve-issue.yaml"));
  const started = await world.uwf("thread", "start", "solve-issue", "-p", TASK);
  if (put.code !== 0 || started.code !== 0) {
    tally.holds("a thread of solve-issue is started", false, put.stderr + started.stderr);
    return null;
  }
  const { thread } = JSON.parse(started.stdout) as { readonly thread: string };
  const failures: Ran[] = [];
  let told = "";
  for (let taken = 0; taken < MAX_STEPS; taken += 1) {
    const ran = await world.uwf("thread", "step", thread);
    told += ran.stderr;
    if (ran.code !== 0) failures.push(ran);
    if (failures.length > 1) break;
    const head = ran.code === 0 ? doneHead(ran.stdout) : null;
    if (head === null) continue;
    tally.holds("the thread comes to its end", true, "");
    judgeFailures(subject, failures, tally);
    return { head, told };
  }
  const last = failures.map(({ stderr }) => stderr.slice(-1500)).join("\n");
  tally.holds("the thread comes to its end", false, last || `it is not done after ${MAX_STEPS} steps`);
  return null;
}

function doneHead(stdout: string): string | null {
  const { head, done } = JSON.parse(stdout) as { readonly head: string; readonly done: boolean };
  return done ? head : null;
}

function judgeFailures({ givesUpAfter }: Subject, failures: readonly Ran[], tally: Tally): void {
  const codes = failures.map(({ code }) => code);
  if (givesUpAfter === null) {
    tally.equal("the program gets over a 500 by itself", codes, []);
    return;
  }
  tally.equal(
    "a 500 that ends the program fails the step with 6, and the next step does it again",
    codes,
    [6],
  );
  const said = failures[0]?.stderr ?? "";
  tally.holds("the failure says why", /error\[AGENT_FAILED\].*500/s.test(said), said.slice(-600));
}

/** What the server was asked has to be what the script has, no more and no less. */
export function judgeServer(llm: FakeLlm, moves: number, tally: Tally): void {
  tally.equal("the model was asked as often as the script has moves", llm.asked.length, moves);
  const continued = llm.asked.filter((messages) => {
    const text = messages.map((message) => message.text).join("\n");
    return text.includes("First attempt.") && messages.some(({ role }) => role === "assistant");
  });
  const remembered = continued.some((messages) =>
    messages.some(({ role, text }) => role === "assistant" && text.includes("First attempt.")),
  );
  tally.holds("the developer's second visit has its first one as its own words", remembered, "it has not");
}
