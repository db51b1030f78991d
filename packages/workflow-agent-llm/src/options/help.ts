import type { Kind } from "./types.js";

const OF_REACT = `  --max-rounds <n>          answers with tool calls, 50 unless given; then it has to reply
  --context-limit <n>       characters of a request from which on old results are cut, 400000 unless given
  --output-limit <n>        characters of one tool's result, 30000 unless given
  --shell-timeout <seconds> the longest that one command may run, 600 unless given
  --no-shell                no shell_exec: nothing leaves the working folder
  --pass-env <NAME>         a variable that commands get although it looks like a key; repeatable
`;

export function usageOf(kind: Kind): string {
  return `usage: uwf-${kind} [options] <thread-id> <role>, or uwf-${kind} --check [options]; see uwf-${kind} --help`;
}

export function helpOf(kind: Kind): string {
  const what =
    kind === "llm"
      ? "One chat completion of a model in config.yaml, without tools."
      : "A model of config.yaml that works in the current folder with read_file, write_file, patch_file, shell_exec and\ncas_get until it replies.";
  return `Usage: uwf-${kind} [options] <thread-id> <role>
       uwf-${kind} --check [options]

${what}

  uwf thread step <thread-id> --agent uwf-${kind}
  uwf thread step <thread-id> --agent "uwf-${kind} --model sonnet --param max_tokens=8000"

Options:
  --model <alias>           a model of config.yaml; else modelOverrides.<role>, modelOverrides.<workflow>, defaultModel
  --param <name=value>      a further member of every request, the value in JSON or a text; repeatable
  --timeout <seconds>       the longest that the whole run may take; no limit unless given
  --idle <seconds>          the longest silence of the model, at most 300; 240 unless given
${kind === "llm" ? "" : OF_REACT}  --check                   only tell whether model and key are configured; asks nobody
  --version
`;
}
