import type { YamlFault } from "./yaml.js";

// Models write LaTeX, regular expressions and Windows paths between double quotes, where YAML has other ideas of a
// backslash. The escapes of JSON that make text stay; a line end or a tab stays where it can be meant.

/** Escapes that make text, whatever surrounds them; a backslash before the line end only continues the line. */
const PLAIN: ReadonlySet<string> = new Set(['"', "\\", "/", "\n", "u", "U"]);

/** Commands of TeX that begin like a line end, a tab or a carriage return. */
const TEX: ReadonlySet<string> = new Set(
  `nabla ne neg neq nexists newcommand newline newpage nleq nmid noindent not notin nsubset nsubseteq nu
  tan tanh tau text textbf textit textrm textsf texttt tfrac therefore theta thickapprox thinspace tilde times tiny
  title to top triangle triangleq`.split(/\s+/),
);

/** The faults in a text between double quotes, `source` with both. */
export function escapeFaults(source: string, offset: number): readonly YamlFault[] {
  const faults: YamlFault[] = [];
  for (let at = source.indexOf("\\"); at !== -1; at = source.indexOf("\\", at + 2)) {
    const message = faultAt(source, at);
    if (message !== null) faults.push({ offset: offset + at, message });
  }
  return faults;
}

function faultAt(source: string, at: number): string | null {
  const name = source.charAt(at + 1);
  if (PLAIN.has(name)) return null;
  if (name === "n" || name === "t" || name === "r") {
    const around = { before: source.slice(Math.max(1, at - 40), at), after: source.slice(at + 2, at + 42) };
    return isMeant(name, around) ? null : sentence(name, name === "n" ? "a line end" : `a ${WORDS[name]}`);
  }
  return sentence(name, "no backslash");
}

const WORDS = { t: "tab", r: "carriage return" } as const;

function sentence(name: string, is: string): string {
  return `between double quotes \\${name} is ${is}: write every backslash twice, or put the text between single quotes`;
}

type Around = { readonly before: string; readonly after: string };

/** Whether a line end, a tab or a carriage return can be meant, and not a backslash. */
function isMeant(name: "n" | "t" | "r", { before, after }: Around): boolean {
  if (name === "r") return after.startsWith("\\n");
  const [word = ""] = /^[A-Za-z]+/.exec(after) ?? [];
  if (TEX.has(name + word)) return false;
  if (word === "" && !/^[\d_]/.test(after)) return true;
  // C:\temp, ..\new, ~\temp, %TEMP%\new
  const isPath = /(?:^|[^A-Za-z])[A-Za-z]:$|(?:^|[\s"'`(=$])(?:\.{1,2}|~)$|%\w+%$/.test(before);
  if (name === "t") return !(isPath || before === "" || /[ ([{`'$=<^_]$/.test(before));
  return !(/^[a-z\d_]/.test(after) && (isPath || before === "" || /(?:^|[^`'])[ `'$]$/.test(before)));
}
