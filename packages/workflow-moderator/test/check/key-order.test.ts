import { describe, expect, it } from "vitest";
import { office } from "./office.js";

describe("a condition that relies on the order of an object's keys", () => {
  it.each([
    "^$keys(steps[-1].output)[0] = 'approved'",
    "^$keys(steps[-1].output)[-1] = 'approved'",
    "^($keys(steps[-1].output))[0] = 'approved'",
    "^(steps[-1].output ~> $keys)[0] = 'approved'",
    "($k := $keys(steps[-1].output); ^$k[0] = 'approved')",
    "^$filter($keys(steps[-1].output), function($k) { $k != 'score' })[0] = 'approved'",
    "^$keys(steps[-1].output)[$ != 'score'][0] = 'approved'",
    "^$reverse($keys(steps[-1].output))[0] = 'approved'",
    "^$join($keys(steps[-1].output), ',') = 'a,b'",
    "^$keys(steps[-1].output) = ['approved', 'score']",
    "^$each(steps[-1].output, function($v, $k) { $k })[0] = 'approved'",
    "^$spread(steps[-1].output)[0].approved = true",
    "steps[-1].output.^*[0] = true",
    '^$string(steps[-1].output.report) = \'{"lines":1,"kind":"bug"}\'',
    "^$reduce($keys(steps[-1].output), function($a, $k) { $a & $k }) = 'x'",
  ])("is warned about: %s", (marked) => {
    expect(office(marked.replace("^", ""))).toContainEqual(
      expect.objectContaining({ severity: "warning", code: "key-order", offset: marked.indexOf("^") }),
    );
  });

  it.each([
    "'score' in $keys(steps[-1].output)",
    "$count($keys(steps[-1].output)) > 3",
    "$sort($keys(steps[-1].output))[0] = 'approved'",
    "$keys({'b': 1, 'a': 2})[0] = 'b'",
    "$count(steps[-1].output.*) > 3",
    "steps[-1].output.findings[0].blocking",
    "$map(steps, function($s) { $s.role })[0] = 'planner'",
  ])("is not found in another one: %s", (expression) => {
    expect(office(expression).filter(({ code }) => code === "key-order")).toEqual([]);
  });
});
