import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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
// A shell exports a variable again that came from the environment, so ours have names that nobody else uses.

const BUN_FLAGS = "--env-file=/dev/null --config=/dev/null --no-install";

/** Carries the current folder past bun's start; start.ts takes it out of the environment. */
const FOLDER = "UWF_LAUNCH_FOLDER";

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
  bun|node) _uwf_with=$UWF_RUNTIME ;;
  '') _uwf_with=node; command -v bun >/dev/null 2>&1 && _uwf_with=bun ;;
  *) echo "error[USAGE]: UWF_RUNTIME is bun or node, not $UWF_RUNTIME" >&2; exit 2 ;;
esac
command -v "$_uwf_with" >/dev/null 2>&1 || {
  echo "error: ${name} needs bun 1.3 or Node.js 20.19, or newer; there is no $_uwf_with on PATH" >&2
  exit 127
}
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
