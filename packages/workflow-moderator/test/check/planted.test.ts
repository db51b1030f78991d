import { describe, expect, it } from "vitest";
import { office, team } from "./office.js";

/** `^` stands before the place that is told; then the code, the fix, and the roles behind which the condition is asked. */
type Planted = readonly [string, string, string | null, ...(readonly string[])];

const MISTAKES: readonly Planted[] = [
  ["steps.^reviewer[-1].output.approved = false", "unknown-field", "steps[role='reviewer']"],
  ["steps[-1].output.approved = ^'false'", "cannot-be-equal", "false"],
  ['steps[-1].output.approved = ^"true"', "cannot-be-equal", "true"],
  ["steps[-1].output.status = ^'bloked'", "unknown-value", "'blocked'"],
  ["$count(steps[role=^'fixr']) > 2", "unknown-role", "'fixer'"],
  ["$count(steps[role=^'fixr'])", "unknown-role", "'fixer'"],
  ["steps[-1].output.approved ^== false", "syntax", "="],
  ["steps[-1].output.approved ^=== false", "syntax", "="],
  ["steps[-1].output.approved ^!== true", "syntax", "!="],
  ["steps[-1].output.approved ^<> true", "syntax", "!="],
  ["steps[-1].output.approved ^&& steps[-1].output.score > 3", "syntax", "and"],
  ["steps[-1].output.approved ^|| steps[-1].output.score > 3", "syntax", "or"],
  ["^!steps[-1].output.approved", "syntax", "$not(steps[-1].output.approved)"],
  [
    "steps[-1].output.score > 3 and ^!(steps[-1].output.approved)",
    "syntax",
    "$not(steps[-1].output.approved)",
  ],
  ["^not steps[-1].output.approved", "syntax", "$not(steps[-1].output.approved)"],
  ["^not(steps[-1].output.approved)", "unknown-function", "$not"],
  ["steps[-1].output.^aproved = false", "unknown-field", "approved"],
  ["steps[-1].output.^verdict = 'ok'", "unknown-field", null],
  ["steps[-1].^approved = false", "unknown-field", "output.approved"],
  ["^output.approved = false", "unknown-field", "steps[-1].output"],
  ["steps[-1].^outptu.approved = false", "unknown-field", "output"],
  ["^step[-1].output.approved = false", "unknown-field", "steps"],
  ["^approved = false", "unknown-field", "steps[-1].output.approved"],
  ["^reviewer.approved = false", "unknown-field", "steps[role='reviewer']"],
  ["steps[-1].output.status = ^blocked", "unknown-field", "'blocked'"],
  ['steps[-1].output.status = ^"Blocked"', "unknown-value", "'blocked'"],
  ["steps[-1].output.approved = ^False", "unknown-field", "false"],
  ["steps[-1].output.approved = ^0", "cannot-be-equal", "false"],
  ["steps[-1].output.score = ^'7'", "cannot-be-equal", "7"],
  ["steps[-1].output.score > ^'7'", "wrong-type", "7"],
  ["steps[-1].output.score > ^10", "never-true", null],
  ["steps[-1].output.score < ^0", "never-true", null],
  ["steps[-1].output.score = ^11", "unknown-value", null],
  ["steps[-1].output.comments > ^3", "wrong-type", null],
  ["steps[-1].output.approved > ^0", "wrong-type", null],
  ["^steps[-1].output.findings > 0", "wrong-type", "$count(steps[-1].output.findings)"],
  ["steps[-1].output.findings = ^'x'", "cannot-be-equal", null],
  ["$count(steps[-1].output.findings) < ^0", "never-true", null],
  ["$length(steps[-1].output.comments) < ^0", "never-true", null],
  ["steps[-1].output.note != null and ^steps[-1].output.note = null", "never-true", null],
  ["steps[-1].output.note = null and ^steps[-1].output.note != null", "never-true", null],
  ["steps[-1].output.score > 3 and ^steps[-1].output.score < 2", "never-true", null],
  ["steps[-1].output.score ^+ steps[-1].output.comments > 3", "wrong-type", "&"],
  ["steps[-1].output.score + ^steps[-1].output.approved > 3", "wrong-type", null],
  [
    "^steps[-1].output.filesChanged in steps[-1].output.summary",
    "never-true",
    "steps[-1].output.summary in steps[-1].output.filesChanged",
    "fixer",
  ],
  ["^steps[-1].output.filesChanged in steps[-1].output.filesChanged", "never-true", null, "fixer"],
  [
    "steps[-1].output.filesChanged = ^'a.ts'",
    "cannot-be-equal",
    "'a.ts' in steps[-1].output.filesChanged",
    "fixer",
  ],
  [
    "steps[-1].output.filesChanged in ^'a.ts'",
    "cannot-be-equal",
    "'a.ts' in steps[-1].output.filesChanged",
    "fixer",
  ],
  ["steps[-1].output.status in ['approved', ^'bloked']", "unknown-value", "'blocked'"],
  [
    "steps[-1].output.status = 'approved' or ^'blocked'",
    "always-true",
    "steps[-1].output.status in ['approved', 'blocked']",
  ],
  ["steps[-1].output.status = 'approved' and ^steps[-1].output.status = 'blocked'", "never-true", null],
  ["steps[-1].output.status = 'approved' and ^steps[-1].output.status != 'approved'", "never-true", null],
  ["steps[-1].output.score > 8 and ^steps[-1].output.score < 3", "never-true", null],
  ["1 = ^2", "never-true", null],
  ["^true", "always-true", null],
  ["^'approved'", "not-boolean", null],
  ["^$count(steps)", "not-boolean", "$count(steps) > 0"],
  ["^steps[-1].output.comments", "not-boolean", "steps[-1].output.comments != ''"],
  ["^steps[-1].output", "not-boolean", null],
  ["^steps", "not-boolean", "$count(steps) > 0"],
  ["$count(steps) < ^0", "never-true", null],
  ["^$count(steps) >= 0", "always-true", null],
  ["^$exists(steps)", "always-true", null],
  ["^$exists(steps[-1].output.approved)", "always-true", null],
  ["$exists(steps[-1].output.^aproved)", "unknown-field", "approved"],
  ["^$exist(steps[-1].output.note)", "unknown-function", "$exists"],
  ["^$lenght(steps[-1].output.comments) > 3", "unknown-function", "$length"],
  ["$length(^steps[-1].output.findings) > 3", "wrong-type", "$count(steps[-1].output.findings)"],
  ["$contains(^steps[-1].output.approved, 'x')", "wrong-type", null],
  ["$sum(^steps[-1].output.comments) > 3", "wrong-type", null],
  ["$lowercase(^steps[-1].output.score) = 'x'", "wrong-type", null],
  ["steps[-1].output.score ^+ 'x' > 3", "wrong-type", "&"],
  ["steps[-1].output.findings.^blockin = true", "unknown-field", "blocking"],
  ["$count(steps[-1].output.findings[^blockng = true]) > 0", "unknown-field", "blocking"],
  ["steps[-1].output.findings[file = ^3]", "cannot-be-equal", "'3'"],
  ["steps[-1].output.report.^knd = 'bug'", "unknown-field", "kind"],
  ["steps[-1].output.report.kind = ^'bugs'", "unknown-value", "'bug'"],
  ["steps[-1].output.note = ^3", "cannot-be-equal", "'3'"],
  ["steps[-1].output.comments = ^null", "cannot-be-equal", null],
  ["steps[-1].role = ^'reviwer'", "unknown-role", "'reviewer'"],
  ["steps[-1].role = ^'planner'", "never-true", null],
  ["^steps[-1].role = 'reviewer'", "always-true", null],
  ["steps[role='planner' and role=^'fixer']", "never-true", null],
  ["$count(steps[^'reviewer']) > 1", "always-true", "role='reviewer'"],
  ["$count(steps[role=^reviewer]) > 1", "unknown-field", "'reviewer'"],
  ["$count(steps[role ^== 'reviewer']) > 1", "syntax", "="],
  ["$count($filter(steps, function($s) { $s.role = ^'fixr' })) > 1", "unknown-role", "'fixer'"],
  ["steps[-1].output.ok = ^'yes'", "cannot-be-equal", "true", "tester"],
  ["steps[-1].output.^oks = true", "unknown-field", "ok", "tester"],
  ["steps[-1].output.^summry = 'x'", "unknown-field", "summary", "fixer"],
  ["steps[-1].output.^`exit cod` = 0", "unknown-field", "`exit code`", "fixer"],
  ["steps[-1].output.^approved = false", "unknown-field", null, "planner", "reviewer"],
  ["^steps[-1].output.approved = false", "never-true", null, "$START"],
  ["steps[-1].detail.^turns > 3", "unknown-field", null],
  ["steps[-1].role.^name = 'x'", "unknown-field", null],
  ["start.^promt = 'x'", "unknown-field", "prompt"],
  ["^prompt = 'x'", "unknown-field", "start.prompt"],
  ["$type(steps[-1].output.approved) = ^'bool'", "unknown-value", "'boolean'"],
  ["steps[-1].output.approved = false^;", "syntax", null],
  ["steps[-1].output.approved ^AND true", "syntax", "and"],
  ["steps[-1].output.status ^is 'x'", "syntax", "="],
  ["steps[-1].output.score ^=> 3", "syntax", ">="],
  ["steps[-1].output.score ^=< 3", "syntax", "<="],
  ["steps[-1].output.status = ^“blocked”", "unknown-field", "'blocked'"],
  ["steps[-1].output.approved = false^)", "syntax", null],
  ["^(steps[-1].output.approved = false", "syntax", null],
  ["steps[-1].output.status = ^'blocked", "syntax", null],
  ["steps[-1].output.status ^eq 'x'", "syntax", "="],
  ["steps[role='planner'].output.phases.^titel = 'x'", "unknown-field", "title"],
  ["steps[role='planner'][-1].output.status = ^'done'", "unknown-value", null],
  ["^'done' = steps[role='planner'][-1].output.status", "unknown-value", null],
  ["steps[-1].output.approved != ^'false'", "cannot-be-equal", "false"],
  ["steps[-1].output.status != ^'bloked'", "unknown-value", "'blocked'"],
  ["$not(steps[-1].output.status = ^'bloked')", "unknown-value", "'blocked'"],
  ["steps[-1].output.approved = ^'false' ? true : false", "cannot-be-equal", "false"],
  ["($s := steps[-1].output; $s.^aproved = false)", "unknown-field", "approved"],
  ["($last := steps[-1]; $last.output.status = ^'bloked')", "unknown-value", "'blocked'"],
  ["$boolean(steps[-1].output.^aproved)", "unknown-field", "approved"],
  ["steps[-1].output.score > 5 and steps[-1].output.^aproved", "unknown-field", "approved"],
  ["^$now() > 3", "not-allowed", null],
  ["$contains(steps[-1].output.comments, ^/(?=a)/)", "not-allowed", null],
  ["steps[-1].output.findings[0].^files = 'x'", "unknown-field", "file"],
  ["$string(steps[-1].output.score) > ^3", "wrong-type", null],
  ["$count(steps[role='planner' and role=^'fixer']) > 0", "never-true", null],
  [
    "steps[-1].output.status = 'rejected' or steps[-1].output.status = ^'bloked'",
    "unknown-value",
    "'blocked'",
  ],
  ["$exists(steps[-1].output.findings[blocking = ^'true'])", "cannot-be-equal", "true"],
  ["$contains(steps[-1].output.note, 'x') and steps[-1].output.^scor > 3", "unknown-field", "score"],
  ["steps[0].role = ^'plannr'", "unknown-role", "'planner'"],
  ["$boolean(steps[role='fixer'].output.^filesChangd)", "unknown-field", "filesChanged"],
  ["(steps[-1].output.note ?? '') = ^3", "cannot-be-equal", "'3'"],
  ["^$filter(steps, function($s) { $s.output.status = 'x' })", "not-boolean", null],
  ["$count($filter(steps, function($s) { $s.^rol = 'fixer' })) > 1", "unknown-field", "role"],
  ["steps[-1].output.reason = 'x' and steps[-1].output.ok = ^'false'", "cannot-be-equal", "false", "tester"],
  ["steps[-1].output.seconds < ^0", "never-true", null, "tester"],
  [
    "$contains(^steps[-1].output.filesChanged, 'a')",
    "wrong-type",
    "'a' in steps[-1].output.filesChanged",
    "fixer",
  ],
  // Fields and methods of other languages.
  ["steps.^length > 3", "unknown-field", "$count(steps)"],
  ["steps[role='reviewer'].^length > 3", "unknown-field", "$count(steps[role='reviewer'])"],
  ["steps[-1].output.findings.^length > 0", "unknown-field", "$count(steps[-1].output.findings)"],
  ["steps[-1].output.comments.^length > 9", "unknown-field", "$length(steps[-1].output.comments)"],
  [
    "steps[-1].output.filesChanged.^length > 9",
    "unknown-field",
    "$count(steps[-1].output.filesChanged)",
    "fixer",
  ],
  ["steps.^size() > 3", "unknown-function", "$count(steps)"],
  ["^len(steps) > 3", "unknown-function", "$count"],
  [
    "steps[-1].output.comments.^includes('x')",
    "unknown-function",
    "$contains(steps[-1].output.comments, 'x')",
  ],
  [
    "$not(steps[-1].output.comments.^includes('x'))",
    "unknown-function",
    "$contains(steps[-1].output.comments, 'x')",
  ],
  [
    "steps[-1].output.filesChanged.^includes('a.ts')",
    "unknown-function",
    "'a.ts' in steps[-1].output.filesChanged",
    "fixer",
  ],
  [
    "['rejected'].^includes(steps[-1].output.status)",
    "unknown-function",
    "steps[-1].output.status in ['rejected']",
  ],
  ["steps[-1].output.comments.^match(/x/)", "unknown-function", "$contains(steps[-1].output.comments, /x/)"],
  [
    "steps[-1].output.comments.^startsWith('no')",
    "unknown-function",
    "$substring(steps[-1].output.comments, 0, $length('no')) = 'no'",
  ],
  [
    "steps[-1].output.comments.^toLowerCase() = 'x'",
    "unknown-function",
    "$lowercase(steps[-1].output.comments)",
  ],
  ["steps.^some(output.approved)", "unknown-function", "$exists(steps[…])"],
  ["^{{ steps[-1].output.approved }}", "syntax", "steps[-1].output.approved"],
  [`^$${"{{"} steps[-1].output.approved }}`, "syntax", "steps[-1].output.approved"],
  [`^$${"{"}steps[-1].output.approved}`, "syntax", "steps[-1].output.approved"],
  ["^{% if steps[-1].output.approved %}", "syntax", null],
  ["steps[-1].output.comments ^contains 'x'", "syntax", "$contains(steps[-1].output.comments, 'x')"],
  [
    "steps[-1].output.score > 3 and steps[-1].output.comments ^includes 'x' or true",
    "syntax",
    "$contains(steps[-1].output.comments, 'x')",
  ],
  ["steps[-1].output.comments ^matches /x/i", "syntax", "$contains(steps[-1].output.comments, /x/i)"],
  ["steps[-1].output.comments ^=~ /x/", "syntax", "$contains(steps[-1].output.comments, /x/)"],
  ["steps[-1].output.approved ^:= true", "syntax", "="],
  ["steps.filter(s ^=> s.role = 'reviewer').length > 3", "syntax", null],
  ["steps.some((s) ^=> s.output.approved)", "syntax", null],
  ["steps[-1].output^?.approved = true", "syntax", "."],
  ["steps[-1].output.status ^not in ['x']", "syntax", "$not(steps[-1].output.status in ['x'])"],
  ["steps[-1].output.approved ^is not true", "syntax", "!="],
  ["^return steps[-1].output.approved", "syntax", null],
  ["^if steps[-1].output.approved then true else false", "syntax", null],
  ["^$(steps[-1].output.approved)", "unknown-function", "(steps[-1].output.approved)"],
  ["$exists(steps[^'output'])", "always-true", ".output"],
  // What never gives true or false.
  ["^$match(steps[-1].output.comments, /x/)", "not-boolean", "$contains(steps[-1].output.comments, /x/)"],
  ["^steps[-1].output.comments ~> /x/", "not-boolean", "$contains(steps[-1].output.comments, /x/)"],
  ["^steps[-1].output.comments ~> $trim", "not-boolean", "steps[-1].output.comments ~> $trim != ''"],
  ["^$lookup(steps[-1].output, 'score')", "not-boolean", "$lookup(steps[-1].output, 'score') > 0"],
  ["^$map(steps, function($s) { $s.output })", "not-boolean", null],
  [
    "^$reduce(steps, function($a, $s) { $a + 1 }, 0)",
    "not-boolean",
    "$reduce(steps, function($a, $s) { $a + 1 }, 0) > 0",
  ],
  ["^$append(steps, 1)", "not-boolean", "$count($append(steps, 1)) > 0"],
  ["^$sift(steps[-1].output, function($v) { $v = true })", "not-boolean", null],
  ["^$error('x')", "not-boolean", null],
  ["^$not", "not-boolean", null],
  ["^/x/", "not-boolean", null],
  ["^steps{role: output.approved}", "not-boolean", null],
];

/** Over the steps of several roles, of which only one declares the field. */
const OVER_ALL_STEPS: readonly Planted[] = [
  // In a filter over the steps of several roles, of which only one declares the field.
  ["$count(steps[output.approved = ^'false']) >= 3", "cannot-be-equal", "false"],
  ["$exists(steps[output.approved = ^'no'])", "cannot-be-equal", "false"],
  ["$not($exists(steps[output.approved = ^0]))", "cannot-be-equal", "false"],
  ["$count(steps[output.approved in [^'no']]) > 1", "cannot-be-equal", "false"],
  ["$count(steps.output[approved = ^'false']) > 2", "cannot-be-equal", "false"],
  ["steps[output.approved = ^'false'][-1].role = 'reviewer'", "cannot-be-equal", "false"],
  ["$count(steps[output.status = ^'bloked']) > 1", "unknown-value", "'blocked'"],
  ["$count(steps[output.score = 3 or output.approved = ^'x']) > 1", "cannot-be-equal", null],
  ["$count(steps[output.findings[blocking = ^'true']]) > 1", "cannot-be-equal", "true"],
  ["$count(steps[$string(output.approved) = ^'True']) > 1", "unknown-value", "'true'"],
  ["^'false' in steps.output.approved", "cannot-be-equal", "false"],
  ["$not(^'false' in steps[-1].output.approved)", "cannot-be-equal", "false"],
  ["^'bloked' in steps[role='reviewer'].output.status", "unknown-value", "'blocked'"],
  // In the function that another one calls.
  ["$count($filter(steps, function($s) { $s.output.approved = ^'no' })) > 0", "cannot-be-equal", "false"],
  ["$count($map(steps, function($s) { $s.output.approved = ^'no' })) > 3", "cannot-be-equal", "false"],
  [
    "$reduce(steps, function($n, $s) { $s.output.approved = ^'no' ? $n + 1 : $n }, 0) > 2",
    "cannot-be-equal",
    "false",
  ],
  ["$single(steps, function($s) { $s.^rol = 'planner' }).output.status = 'aborted'", "unknown-field", "role"],
  ["$lookup(steps[-1].output, ^'aproved') = true", "unknown-field", "'approved'"],
  ["$lookup(steps[-1].output, 'approved') = ^'false'", "cannot-be-equal", "false"],
  [
    "$count($filter(steps, function($s) { $s.output.approved })) > 1 and $count($filter(steps, function($s) { $s.output.approved = ^'no' })) > 1",
    "cannot-be-equal",
    "false",
  ],
];

/** Calls of every function that gives neither `true` nor `false`, whatever it is called with. */
const NEVER_BOOLEAN = [
  ..."$keys $merge $spread $zip $string $count $sum $max $min $average $number $floor $ceil $abs $sqrt".split(
    " ",
  ),
  ..."$length $trim $uppercase $lowercase $base64encode $base64decode $encodeUrl $encodeUrlComponent".split(
    " ",
  ),
  ..."$decodeUrl $decodeUrlComponent $fromMillis $toMillis $formatBase $type $join $assert".split(" "),
].map((name) => `${name}(steps[-1].output.^)`);

describe("a condition that cannot be right", () => {
  for (const [marked, code, suggestion, ...after] of MISTAKES) {
    it(`is refused once, at its place, with its fix: ${marked}`, () => {
      const path = "/conditions/c/expression";
      const offset = marked.indexOf("^");
      expect(office(marked.replace("^", ""), ...(after as readonly string[]))).toMatchObject([
        { severity: "error", code, path, offset, suggestion },
      ]);
    });
  }

  for (const [marked, code, suggestion] of OVER_ALL_STEPS) {
    it(`is refused in every role's step: ${marked}`, () => {
      const offset = marked.indexOf("^");
      const expression = marked.replace("^", "");
      expect(team(expression)).toMatchObject([{ severity: "error", code, offset, suggestion }]);
      // The scribe's meta declares nothing, so an output of the scribe may have such a field.
      expect(office(expression)).not.toEqual([]);
    });
  }

  it.each(NEVER_BOOLEAN)("is refused if its function never gives true or false: %s", (call) => {
    const given = ["comments", "score", "report"].map((field) => office(call.replace("^", field)));
    const told = given.flatMap((problems) => problems.map(({ severity, code }) => `${severity} ${code}`));
    expect(told).toContain("error not-boolean");
  });

  it("is found in more than sixty forms", () => {
    expect(MISTAKES.length).toBeGreaterThan(60);
  });
});

describe("a condition that is only likely wrong", () => {
  it.each([
    ["steps[-1].output.approved = true or steps[-1].output.approved = false", "always-true", "reviewer"],
    ["steps[-1].output.approved = false", "never-true", "$START", "reviewer"],
    ["steps[-1].output.status = 'rejected'", "never-true", "planner", "reviewer"],
    ["steps.role[-1] = 'reviewer'", "misplaced-index", "reviewer"],
    ["steps[-1].output.commit = 'x'", "may-be-missing", "fixer"],
  ])("is warned about: %s", (expression, code, ...after) => {
    expect(office(expression, ...after)).toMatchObject([{ severity: "warning", code }]);
  });

  it("may distinguish the roles itself", () => {
    const either = "steps[-1].output.approved = true or steps[-1].output.ok = true";
    const errors = office(either, "reviewer", "tester").filter(({ severity }) => severity === "error");
    expect(errors).toEqual([]);
  });
});
