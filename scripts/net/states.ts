// What commands say of threads of every state, and of everything else that is in the world.

const FORMATS = ["json", "yaml", "text"];

/** What is asked of each thread, in each format. */
const READS = [
  "show",
  "steps",
  "read",
  "next",
  "usage",
  "limit",
  "unlock",
  "answer",
  "report -o -",
  "export -o x.cas",
];

/** What changes a thread. `--` stands for a thread. */
const WRITES = `step -- --quiet
step --
step -- --format text
step -- --events
step -- --expect 0000000000000
step -- --agent none
step -- --agent "uwf-mock --scenario failing.yaml"
run -- --max-steps 1
run -- --max-steps 1 --format text
run -- --until reviewer --quiet
note -- hello
note -- hello --format text
limit -- --max-steps 9
limit -- --max-steps none --format text
pause --
pause -- --format text
resume --
resume -- --format text
kill --
kill -- --format text
rm --
rm -- --format text
answer -- --field approved=true --field comments=fine
answer -- --field approved=7 --format text
push --
fetch --`;

/** What is asked once, in each format. */
const ONCE = `thread list|thread list --all|thread list --tree|thread list --held|thread list --workflow solve-issue
thread list --all --limit 3|thread list --since 1d|thread ps|log|log --limit 5|log --thread @active|log --since 1d
workflow list|workflow show solve-issue|workflow show asks|workflow history loops|workflow graph review-each
workflow graph solve-issue --thread @active|workflow diff solve-issue loops|workflow validate wrong.yaml
workflow validate examples/solve-issue.yaml|workflow test examples/solve-issue.yaml|workflow test loops.yaml
workflow put examples/write-note.yaml|workflow put wrong.yaml|workflow rm loops|workflow rollback loops
workflow rollback solve-issue|thread start solve-issue -p x|thread start none -p x|thread start solve-issue
thread start wrong.yaml -p x|run solve-issue -p x --quiet|run solve-issue -p x --max-steps 1|thread fork @ended.1
thread fork @node|thread fork @ended.2 --workflow loops|thread step-details @ended.1|thread step-details @node
thread import ended.cas|thread import wrong.yaml|thread resume|thread unlock|thread run --all --max-steps 1
prompt solve-issue planner -p x|prompt solve-issue none|prompt publish-note editor|report -o public|remote status
remote init|remote gc|thread list --remote|thread show @active --remote|thread submit solve-issue -p x
cas get @node|cas get @ended.1|cas get @schema|cas has @node|cas has 0000000000000|cas refs @ended.1|cas walk @ended.2
cas walk @node|cas list|cas list --type @schema|cas du|cas verify|cas gc|cas gc --yes|cas pack|cas reindex
cas put @schema '{"name":"Bob"}'|cas put @schema 7|cas put-text hello|cas file put ended.cas|cas file get @file
cas file get @node|cas export @ended.1 -o x.cas|cas import ended.cas|cas import wrong.yaml|cas schema list
cas schema get @schema|cas schema put '{"type":"object"}'|cas schema put '{"type":7}'|cas schema validate @schema 7
init door-sign|init loops|setup --agent uwf-mock|setup --provider x|completion bash|completion zsh|completion fish
skill|skill cli|workflow schema|doctor`;

const OF_STORE = `get @node|get @node --format json|get 0000000000000|has @node|refs @ended.1|walk @ended.2|list|du|verify
list --type @schema|gc|gc --root @ended.2|pack|reindex|put @schema '{"name":"Bob"}'|put @schema 7|export @node -o x.cas
import ../project/ended.cas|schema list|schema get @schema|schema put '{"type":"object"}'|schema validate @schema 7`;

const OF_DAMAGE = `thread list|thread list --tree|thread show @ended|thread steps @ended|thread read @ended|thread usage @ended
thread next @forked|thread step @forked|thread export @ended -o x.cas|cas verify|cas walk @ended.5|cas gc|doctor|log
thread fork @ended.1|thread kill @active|report -o public`;

type Add = (kind: string, words: readonly string[], root: string) => void;

export function states(add: Add, threads: readonly string[]): void {
  const formats = (kind: string, line: string, root: string): void => {
    for (const format of FORMATS) add(kind, [...wordsOf(line), "--format", format], root);
  };
  for (const thread of threads) {
    for (const read of READS) {
      const [verb = "", ...rest] = wordsOf(read);
      formats("states", ["thread", verb, `@${thread}`, ...rest].join(" "), "root");
    }
    add("states", ["thread", "show", `@${thread}`, "--format", "text", "--color", "always"], "root");
    for (const write of WRITES.split("\n")) {
      const words = wordsOf(write).map((word) => (word === "--" ? `@${thread}` : word));
      // It would end what the other lines need.
      if (thread === "running" && (words[0] === "kill" || words[0] === "run")) continue;
      add("steps and changes", ["thread", ...words], "root");
    }
  }
  for (const line of linesIn(ONCE)) {
    formats("answers", line, "root");
    add("answers", [...wordsOf(line), "--error-format", "json"], "root");
  }
  for (const root of ["damaged", "empty"])
    for (const line of linesIn(OF_DAMAGE)) formats(`${root} root`, line, root);
}

export function ofStore(add: Add): void {
  for (const line of linesIn(OF_STORE)) add("json-cas", ["--store", "../root/cas", ...wordsOf(line)], "root");
}

function linesIn(text: string): readonly string[] {
  return text.split(/[|\n]/);
}

/** As a shell takes them apart. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, two, plain]) => one ?? two ?? plain ?? "",
  );
}
