/** What a condition is often meant to ask. Each expression passes `workflow put` and is evaluated by a test. */
export const IDIOMS: readonly (readonly [expression: string, asks: string])[] = [
  ["steps[-1].output.approved = false", "a field of the last step"],
  ["steps[-1].output.status = 'blocked'", "a text; texts stand in single quotes"],
  ["steps[-1].output.status in ['blocked', 'unclear']", "one of several texts"],
  ["steps[-1].output.failed > 0", "a number"],
  ["steps[-1].output.ok and steps[-1].output.failed = 0", "both"],
  ["$not(steps[-1].output.ok)", "the opposite of a field that is always there"],
  ["$exists(steps[-1].output.question)", "an optional field is there"],
  [
    "$exists(steps[-1].output.severity) and steps[-1].output.severity = 'high'",
    "an optional field is there and has a value",
  ],
  ["$count(steps[-1].output.findings) > 0", "a list is not empty"],
  ["$count(steps[-1].output.findings[level = 'high']) > 0", "one item of a list at least"],
  ["$count(steps[-1].output.findings[level != 'low']) = 0", "every item of a list"],
  ["steps[role = 'planner'][-1].output.risk = 'high'", "a field of a role's newest step"],
  ["$exists(steps[role = 'tester'])", "a role has had its turn"],
  ["$count(steps[role = 'developer']) >= 3", "a role has had this many turns"],
  [
    "$count(steps[role = 'reviewer' and output.approved = false]) >= 2",
    "something has happened this many times",
  ],
  ["$count(steps) % 5 = 0", "every fifth step"],
  ["$count(steps) > 1 and steps[-2].role = 'developer'", "who worked before the last one"],
  ["$sum(steps[role = 'tester'].output.seconds) > 600", "a sum over a role's steps"],
  ["$contains(start.prompt, 'urgent')", "a word of the task"],
  [
    "$contains(steps[-1].output.branch, /^release\\//)",
    "a pattern; look-around and back-references are refused",
  ],
  ["$lowercase(steps[-1].output.verdict) = 'ship'", "a text whatever its case"],
  ["$length($trim(steps[-1].output.comments)) > 0", "a text that is not blank"],
];
