// A launcher is a shell script and a CommonJS module at once: for the shell `':' //` is a command that does
// nothing, for JavaScript the rest of such a line is a comment. npm links it into node_modules/.bin as it is.
//
// bun reads more of the current folder than a program should let it (each was tried, each ran foreign code or
// changed the environment before our first line): `.env`, the `preload` of bunfig.toml, and the `paths` of
// tsconfig.json or jsconfig.json, which can even redirect the entry point. And it fetches packages from the
// registry when an import is not found. Flags stop all but the third (`--tsconfig-override` does, and makes bun
// 1.3 print "Internal error: directory mismatch" at every start), so bun is started in `/`, and the first
// statement of ours goes back to where the person is, in $PWD too. Node reads nothing of the sort.
//
// bun takes a `--` that stands right behind the script for its own, so it gets one to take.
//
// The path is made absolute because bun takes a bare word for a script of the current folder's package.json.
//
// Entries of PATH that are no absolute paths (`.`, an empty one, `node_modules/.bin`) are dropped before anything is
// looked up, for the runtime as for agents and their interpreters: they would start whatever a cloned repository
// calls `node` or `uwf-hermes`.

// bun collects garbage when a program's first file is through and something keeps the process alive: 2 ms in which an agent
// has one core less. As long as that file waits, it does not. A file that waits is an ES module for bun, CommonJS or not;
// Node.js takes the same line for a call of a function `await`, which never comes.

// Its variables have names that nobody else gives his: an exported one of such a name would reach the program changed.

/** Costs a pattern match where PATH is as it should be. */
const CLEAN_PATH = [
  `case ":\${PATH:-/}:" in *:[!/]*) _uwf_clean=; IFS=:; set -f`,
  'for _uwf_dir in $PATH; do case "$_uwf_dir" in /*) _uwf_clean="$_uwf_clean:$_uwf_dir" ;; esac; done',
  `PATH="\${_uwf_clean#:}"; export PATH; set +f; unset IFS ;; esac`,
].join("; ");

/** bin/package.json: the package around is `"type": "module"`, the launchers are CommonJS, which Node.js starts faster. */
export const BIN_PACKAGE = '{\n  "type": "commonjs"\n}\n';

const BUN_FLAGS = "--env-file=/dev/null --config=/dev/null --no-install";

/** Carries the current folder past bun's start; gone from the environment before anything else runs. */
const FOLDER = "UWF_LAUNCH_FOLDER";

/**
 * How many times later than usual bun's engine compiles what runs often. Most of our processes are over before compiling
 * pays: a step is 5 of 50 ms shorter. 100 gains no more, and what does run long (`cas verify`) is slower then by a tenth.
 */
const TIER_UP_SCALE = 20;

/** The text of packages/<package>/bin/<name>. */
export function launcherText(name: string): string {
  return [
    "#!/bin/sh",
    `':' //; # Shell and JavaScript at once; written by scripts/launchers.ts, see scripts/launcher.`,
    `':' //; # Runs on bun where there is one, else on Node.js; UWF_RUNTIME=bun or UWF_RUNTIME=node decides.`,
    `':' //; ${CLEAN_PATH}`,
    `':' //; [ -n "$PWD" ] && [ -d "$PWD" ] || { echo "error[IO_FAILED]: the current folder is gone" >&2; echo "hint: cd to a folder that is there, and try again" >&2; exit 74; }`,
    `':' //; case "$0" in /*) _uwf_self=$0 ;; *) _uwf_self=$PWD/$0 ;; esac`,
    `':' //; case "\${UWF_RUNTIME:-}" in bun|node) _uwf_with=$UWF_RUNTIME ;; '') _uwf_with=node; command -v bun >/dev/null 2>&1 && _uwf_with=bun ;; *) echo "error[USAGE]: UWF_RUNTIME is bun or node, not $UWF_RUNTIME" >&2; exit 2 ;; esac`,
    `':' //; command -v "$_uwf_with" >/dev/null 2>&1 || { echo "error: ${name} needs bun 1.3 or Node.js 20.19, or newer; there is no $_uwf_with on PATH" >&2; exit 127; }`,
    `':' //; case "$_uwf_with" in bun) ${FOLDER}=$PWD; export ${FOLDER}; cd / && exec bun ${BUN_FLAGS} "$_uwf_self" -- "$@" ;; esac`,
    `':' //; exec node "$_uwf_self" "$@"`,
    `if (process.env.${FOLDER}) process.chdir((process.env.PWD = process.env.${FOLDER}));`,
    `delete process.env.${FOLDER};`,
    `if (process.versions.bun) Bun.unsafe?.setJITPolicy?.(${TIER_UP_SCALE});`,
    `const { main } = require(process.versions.bun ? "../dist/bun/${name}.js" : "../dist/bin/${name}.js");`,
    `const done = main();`,
    `if (process.versions.bun) await (done);`,
    "",
  ].join("\n");
}
