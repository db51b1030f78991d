import { describe, expect, it } from "vitest";
import { parseSince } from "../../src/since.js";

const NOW = Date.parse("2026-01-31T12:00:00Z");

describe("--since", () => {
  it.each([
    ["90s", "2026-01-31T11:58:30Z"],
    ["90", "2026-01-31T11:58:30Z"],
    ["0", "2026-01-31T12:00:00Z"],
    ["15m", "2026-01-31T11:45:00Z"],
    ["2h", "2026-01-31T10:00:00Z"],
    ["3d", "2026-01-28T12:00:00Z"],
    ["2026-01-31", "2026-01-31T00:00:00Z"],
    ["2026-01-31T08:00", "2026-01-31T08:00:00Z"],
    ["2026-01-31 08:00:30", "2026-01-31T08:00:30Z"],
    ["2026-01-31t08:00z", "2026-01-31T08:00:00Z"],
    ["2026-01-31T08:00:00.5+02:00", "2026-01-31T06:00:00.500Z"],
    ["2024-02-29", "2024-02-29T00:00:00Z"],
    ["999999999d", "1970-01-01T00:00:00Z"],
    ["0001-01-01", "1970-01-01T00:00:00Z"],
  ])("takes %s", (text, time) => {
    expect(parseSince(text, NOW)).toEqual({ ok: true, value: Date.parse(time) });
  });

  it.each([
    "",
    "m",
    "-5m",
    "5 m",
    "1.5h",
    "5w",
    "2026-1-1",
    "2026-02-30",
    "2025-02-29",
    "2026-01-01T24:30",
    "now",
    "2026-01-31Z",
  ])("refuses %j with examples", (text) => {
    const refused = parseSince(text, NOW);
    expect(refused).toMatchObject({
      ok: false,
      error: { code: "USAGE", usage: expect.stringContaining("15m") },
    });
  });
});
