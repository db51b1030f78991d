import { argument, text as textKind } from "@uncaged/command-line";
import { defineCommand } from "../line/index.js";
import { misused, text } from "./output.js";

// Each script asks `uwf __complete [--described] <words before the cursor> <word at the cursor>`: one candidate per line, and
// described ones with a tab and some words behind them. Only bash shows none.

const BASH = `_uwf() {
  local IFS=$'\\n'
  COMPREPLY=($(uwf __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _uwf uwf
`;

const ZSH = `#compdef uwf
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
_uwf() {
  local line value about
  local -a described
  for line in "\${(@f)$(uwf __complete --described "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    value=\${line%%$'\\t'*}
    about=\${line:\${#value}}
    described+=("\${value//:/\\\\:}\${about/$'\\t'/:}")
  done
  if (( $#described )); then _describe -V uwf described; else _files; fi
}
compdef _uwf uwf
`;

const FISH = `complete -c uwf -f -k -a '(uwf __complete --described (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export const command = defineCommand({
  path: "completion",
  summary: "print a completion script for bash, zsh or fish",
  arguments: {
    shell: argument(textKind("shell", { about: "bash, zsh or fish", candidates: Object.keys(SCRIPTS) })),
  },
  examples: ['eval "$(uwf completion bash)"', 'eval "$(uwf completion zsh)"', "uwf completion fish | source"],
  sample: {
    line: "completion bash",
    prints: `_uwf() {
  local IFS=$'\\n'
…`,
  },
  run: async (_context, { shell }) => {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script !== undefined) return text(script);
    const usage = 'write `eval "$(uwf completion bash)"`, zsh likewise, or `uwf completion fish | source`';
    return misused(`there are completions for bash, zsh and fish, not for ${shell}`, usage);
  },
});
