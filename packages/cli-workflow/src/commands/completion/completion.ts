import { err, fault } from "@uncaged/workflow-protocol";
import { text } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

// Each script asks `uwf __complete <words before the cursor> <word at the cursor>`, one candidate per line.

const BASH = `_uwf() {
  local IFS=$'\\n'
  COMPREPLY=($(uwf __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _uwf uwf
`;

const ZSH = `#compdef uwf
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
_uwf() {
  local -a candidates
  candidates=("\${(@f)$(uwf __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$candidates[1]" ]]; then compadd -a candidates; else _files; fi
}
compdef _uwf uwf
`;

const FISH = `complete -c uwf -f -a '(uwf __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export async function completion(
  _context: CommandContext,
  request: { readonly shell: string },
): CommandResult {
  const script = Object.hasOwn(SCRIPTS, request.shell) ? SCRIPTS[request.shell] : undefined;
  if (script !== undefined) return text(script);
  const usage = 'write `eval "$(uwf completion bash)"`, zsh likewise, or `uwf completion fish | source`';
  return err(
    fault("USAGE", {
      reason: `there are completions for bash, zsh and fish, not for ${request.shell}`,
      usage,
    }),
  );
}
