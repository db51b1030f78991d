import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENV } from "../../packages/workflow-protocol/src/environment.js";
import { NEEDED } from "./runtime.js";

// bun reads more of the current folder than a program should let it (each was tried, each ran foreign code or changed
// the environment before our first line): `.env`, the `preload` of bunfig.toml, and the `paths` of tsconfig.json or
// jsconfig.json, which can even redirect the entry point. And it fetches packages from the registry when an import is
// not found. Flags stop all but the third (`--tsconfig-override` does, and makes bun 1.3 print "Internal error:
// directory mismatch" at every start), so bun is started in `/`, and the program goes back to where the person is, in
// $PWD too. Node.js reads nothing of the sort.
//
// bun takes a `--` right after the script for its own, so it gets one to take.
//
// Entries of PATH that are not absolute paths (`.`, an empty one, `node_modules/.bin`) are dropped before anything is
// looked up, for the runtime as for agents and their interpreters: they would start whatever a cloned repository calls
// `node` or `uwf-hermes`.
//
// A bun that is too old does nothing and exits with 0, and one for another processor crashes. After `exec` nobody is
// left to notice, so bun is asked for its version first, which takes 1 ms. Node.js, which would take 20, is asked by
// the first file that it runs (start.ts).
//
// Both runtimes reset the signals that the caller ignores (nohup; `&` in a script), and what they start gets them
// reset too. The shell knows: a signal that was ignored when it started cannot be trapped. The variable keeps it for
// start.ts and for all that is started below.
//
// A shell exports a variable again that came from the environment, so ours have names that nobody else uses.

const BUN_FLAGS = "--env-file=/dev/null --config=/dev/null --no-install";

/** Carries the current folder past bun's start; start.ts takes it out of the environment. */
const FOLDER = ENV.launchFolder;

/** The signals that the caller ignores; it stays in the environment. */
const IGNORED = ENV.ignoredSignals;

/** The text of packages/<package>/bin/<name>. npm installs it as a link, which `$0` then is. */
export function launcherText(name: string): string {
  return `#!/bin/sh
# Made by build:bins. Runs on bun where there is one, else on Node.js; UWF_RUNTIME=bun or UWF_RUNTIME=node decides.
case ":\${PATH:-/}:" in *:[!/]*)
  _uwf_clean=; IFS=:; set -f
  for _uwf_dir in $PATH; do case "$_uwf_dir" in /*) _uwf_clean="$_uwf_clean:$_uwf_dir" ;; esac; done
  PATH="\${_uwf_clean#:}"; export PATH; set +f; unset IFS ;;
esac
[ -n "$PWD" ] && [ -d "$PWD" ] || {
  echo "error[IO_FAILED]: the current folder is gone" >&2
  echo "hint: cd to a folder that is there, and try again" >&2
  exit 74
}
case "\${UWF_RUNTIME:-}" in
  bun|node|'') ;;
  *) echo "error[USAGE]: UWF_RUNTIME is bun or node, not $UWF_RUNTIME" >&2; exit 2 ;;
esac
_uwf_with=; _uwf_lacks="there is no \${UWF_RUNTIME:-node} on PATH"
[ "\${UWF_RUNTIME:-}" != node ] && command -v bun >/dev/null 2>&1 && {
  _uwf_bun=$({ cd / && bun --version </dev/null; } 2>/dev/null)
  case "$_uwf_bun" in
    0.*|1.[0-2]|1.[0-2].*) _uwf_lacks="the bun on PATH is $_uwf_bun" ;;
    [0-9]*) _uwf_with=bun ;;
    *) _uwf_lacks="the bun on PATH does not start" ;;
  esac
}
[ -z "$_uwf_with" ] && [ "\${UWF_RUNTIME:-}" != bun ] && command -v node >/dev/null 2>&1 && _uwf_with=node
[ -n "$_uwf_with" ] || {
  echo "error: ${name} needs ${NEEDED}; $_uwf_lacks" >&2
  echo "hint: install one of them" >&2
  exit 127
}
for _uwf_signal in HUP INT TERM; do
  case " \${${IGNORED}:-} " in
    *" $_uwf_signal "*) trap '' "$_uwf_signal" ;;
    *) _uwf_ignored=yes; trap '_uwf_ignored=' "$_uwf_signal"; kill -s "$_uwf_signal" $$; trap - "$_uwf_signal"
      [ -z "$_uwf_ignored" ] || { ${IGNORED}="\${${IGNORED}:+$${IGNORED} }$_uwf_signal"; export ${IGNORED}; } ;;
  esac
done
case "$0" in /*) _uwf_self=$0 ;; *) _uwf_self=$PWD/$0 ;; esac
while [ -h "$_uwf_self" ]; do
  _uwf_link=$(PATH="$PATH:/usr/bin:/bin" readlink "$_uwf_self") || exit 127
  case "$_uwf_link" in /*) _uwf_self=$_uwf_link ;; *) _uwf_self=\${_uwf_self%/*}/$_uwf_link ;; esac
done
_uwf_dist=\${_uwf_self%/*}/../dist
if [ "$_uwf_with" = bun ]; then
  ${FOLDER}=$PWD; export ${FOLDER}
  cd / && exec bun ${BUN_FLAGS} "$_uwf_dist/bun/${name}.js" -- "$@"
fi
exec node "$_uwf_dist/bin/${name}.js" "$@"
`;
}

/** Makes a package's folder of launchers, and takes away those whose source is gone. */
export function writeLaunchers(folder: string, names: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    const file = join(folder, name);
    writeFileSync(file, launcherText(name));
    chmodSync(file, 0o755);
  }
  for (const name of readdirSync(folder)) if (!names.includes(name)) rmSync(join(folder, name));
}
