import type { StepDeps, StepWatch, WatchedRun } from "@uncaged/workflow-engine";
import { type EventOf, programOf } from "@uncaged/workflow-protocol";
import { type RunDir, readReport } from "@uncaged/workflow-store";
import { wrapAnsi } from "fast-wrap-ansi";
import { paintOn, type Screen, widthOf } from "../screen/index.js";
import { factsReader, openRecorder, type Progress, type Shown, UNSAID, type WatchedDeps } from "./facts.js";
import { openEvents } from "./lines.js";
import { liveLine, numberWords, openPlain, stepLine } from "./plain.js";

type Command = {
  /** `run` says in a pipe too that it goes on. */
  readonly name: "step" | "run";
  readonly thread: string;
  readonly shown: Shown;
};

/** The screen of the person who reads stderr; `null`: a program does. */
type Reader = { readonly watcher: () => Screen | null };

/** Chooses by what was asked for, and by who reads stderr. */
export function openProgress(context: Reader, deps: WatchedDeps, { name, thread, shown }: Command): Progress {
  if (shown === "events") return openEvents(deps);
  if (shown === "quiet") return openSilent(deps, null);
  const watcher = context.watcher();
  if (watcher !== null) return openLive(deps, () => context.watcher() ?? watcher);
  return name === "run" ? openPlain(deps, thread) : openSilent(deps, deps.live ? deps.host.stderr : null);
}

/** Says nothing of its own. */
function openSilent(deps: StepDeps, output: ReturnType<StepWatch["agent"]>["output"]): Progress {
  const recorder = openRecorder(deps.storage);
  const watch: StepWatch = { ...recorder.watch, agent: () => ({ output, end: () => {} }) };
  return { ...UNSAID, begin: () => ({ ...deps, watch }), end: () => recorder.take() };
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const DRAW_MS = 100;

/** The report is a file: it is read once in this many drawings. */
const READ_EVERY = 5;

/** Before each line of an agent's output. */
const INDENT = "    ";

type Run = {
  /** Counting a long history takes its time: the agent has started by then. */
  readonly number: () => number | null;
  readonly role: string;
  readonly agent: string;
  readonly startedAt: number;
  readonly dir: RunDir;
};

/**
 * On a terminal: one line that is redrawn while an agent works; what the agent writes to stderr above it, indented under
 * its name; and one line for each recorded step. A failure is not said here: it is the command's last word.
 */
export function openLive(deps: StepDeps, screenNow: () => Screen): Progress {
  const { stderr } = deps.host;
  const recorder = openRecorder(deps.storage);
  const { numberOn } = factsReader(deps.storage);
  const line = openLine(deps, screenNow);
  const apart = (say: (sentence: string) => void) => (sentence: string) => {
    line.clear();
    say(sentence);
  };
  const watched: StepDeps = {
    ...deps,
    warn: apart(deps.warn),
    tell: apart(deps.tell),
    watch: { ...recorder.watch, agent: (event, run) => line.begin(event, run, () => numberOn(event.head)) },
  };
  return {
    ...UNSAID,
    begin: () => watched,
    end: (_output, isResult) => {
      line.stop();
      const recorded = recorder.take();
      const facts = recorded === null || isResult ? null : recorded();
      if (facts !== null) stderr.write(stepLine(facts, screenNow()));
      return recorded;
    },
  };
}

type Line = {
  readonly begin: (event: EventOf<"agent">, dir: RunDir, number: Run["number"]) => WatchedRun;
  /** Removes the line before another message is printed. */
  readonly clear: () => void;
  readonly stop: () => void;
};

function openLine({ host }: StepDeps, screenNow: () => Screen): Line {
  const { stderr, now } = host;
  let timer: ReturnType<typeof setInterval> | null = null;
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) stderr.write("\r\u001b[K");
    isDrawn = false;
  };
  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    clear();
  };
  const begin: Line["begin"] = ({ role, agent, attempt }, dir, number) => {
    const program = agent === null ? "" : programOf(agent);
    const current: Run = { number, role: role ?? "", agent: program, startedAt: now(), dir };
    const output = openOutput(
      (text) => {
        clear();
        stderr.write(text);
      },
      () => ({ title: titleOf(current, attempt, screenNow()), width: screenNow().width }),
    );
    const draw = drawing(current, { now, unfinished: output.unfinished });
    const show = (): void => {
      stderr.write(`\r${draw(screenNow())}\u001b[K`);
      isDrawn = true;
    };
    stop();
    timer = setInterval(show, DRAW_MS);
    return { output, end: stop };
  };
  return { begin, clear, stop };
}

/** Makes the line that is redrawn. */
function drawing(
  { number, role, agent, startedAt, dir }: Run,
  { now, unfinished }: { readonly now: () => number; readonly unfinished: () => string },
): (screen: Screen) => string {
  let tick = 0;
  let report: ReturnType<typeof readReport> = null;
  return (screen) => {
    if (tick % READ_EVERY === 0) report = readReport(dir);
    tick += 1;
    const words = unfinished() || (report?.words ?? "");
    const tokens = report?.usage?.totalTokens ?? null;
    const run = { number: number(), role, agent, elapsedMs: now() - startedAt, tokens, words };
    return liveLine(FRAMES[tick % FRAMES.length] ?? "", run, screen);
  };
}

/** What the lines of an agent stand under. */
function titleOf({ number, role, agent }: Run, attempt: number | null, screen: Screen): string {
  const { strong, dim } = paintOn(screen);
  const again = attempt === null || attempt === 1 ? "" : `, run ${attempt}`;
  return `${numberWords(number())} ${strong(role)}  ${dim(`${agent}${again}`)}\n`;
}

type Output = {
  readonly write: (text: string) => void;
  /** The beginning of a line whose end has not come yet. */
  readonly unfinished: () => string;
};

/** Whole lines, each indented: the live line would break into half of one. */
function openOutput(
  write: (text: string) => void,
  place: () => { readonly title: string; readonly width: number },
): Output {
  let rest = "";
  let hasTitle = false;
  const show = (text: string): void => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    if (lines.length === 0) return;
    const { title, width } = place();
    write(`${hasTitle ? "" : title}${lines.map((line) => indented(line, width)).join("")}`);
    hasTitle = true;
  };
  return { write: show, unfinished: () => rest };
}

/** Breaks it here: the terminal would begin the next line at its edge. */
function indented(line: string, width: number): string {
  const room = Math.max(width - INDENT.length, NARROWEST);
  const parts =
    widthOf(line) <= room ? [line] : wrapAnsi(line, room, { hard: true, trim: false }).split("\n");
  return parts.map((part) => `${INDENT}${part}\n`).join("");
}

const NARROWEST = 20;
