import { Lexer, Parser } from "yaml";

for (const [n, s] of [
  ["[[", "[".repeat(60000)],
  ["[]", "[".repeat(30000) + "]".repeat(30000)],
  ["- -", "- ".repeat(30000) + "a"],
  ["? ?", "? ".repeat(30000)],
  ["{a:", "{a: ".repeat(16000)],
  ["indent", Array.from({ length: 350 }, (_, i) => " ".repeat(i) + "a:").join("\n")],
  ["many", Array.from({ length: 9000 }, (_, i) => `k${i}: 1`).join("\n")],
  ["quotes", '"'.repeat(60000)],
  ["a: ", "a: ".repeat(20000)],
  ["'", "a: '" + "x\n".repeat(30000)],
  ["|", "a: |\n" + " x\n".repeat(20000)],
  ["{,", "{" + "a,".repeat(30000) + "}"],
  ["tabs", "\t".repeat(60000)],
  ["!", "!".repeat(60000)],
  ["? a\\n", "? a\n".repeat(15000)],
  ["-\\n", "-\n".repeat(30000)],
  ["plain multi", "a\n".repeat(30000)],
  ["#", "#\n".repeat(30000)],
  ["{? ", "{? ".repeat(20000)],
]) {
  let t = performance.now();
  let r;
  try {
    r = [...new Lexer().lex(s)].length;
  } catch (e) {
    r = e.message;
  }
  const tl = performance.now() - t;
  t = performance.now();
  try {
    r += " " + [...new Parser().parse(s)].length;
  } catch (e) {
    r += e.message.slice(0, 100);
  }
  console.log(n, r, tl | 0, (performance.now() - t) | 0);
}
