import { expect, it } from "vitest";
import { whyOf } from "../../src/index.js";

it.each([
  ['API Error: 401 {"type":"error"}', { reason: "auth" }],
  ["Error: Error code: 401 - {…}", { reason: "auth" }],
  ["unexpected status 401 Unauthorized: no, url: http://127.0.0.1/v1/responses", { reason: "auth" }],
  ["HTTP 400: API key not valid. Please pass a valid API key.", { reason: "auth" }],
  ["Invalid API key · Please run /login", { reason: "auth" }],
  ["API call failed after 3 retries: HTTP 429: busy", { reason: "rate-limit" }],
  ["exceeded retry limit, last status: 429 Too Many Requests", { reason: "rate-limit" }],
  ["HTTP 429: slow down; try again in 20s", { reason: "rate-limit", retryAfter: 20 }],
  ["You've hit your usage limit. Try again in 1 hour 5 minutes.", { reason: "rate-limit", retryAfter: 3900 }],
  ["HTTP 429: Retry-After: 20", { reason: "rate-limit", retryAfter: 20 }],
  ["HTTP 429: try again in 1m30s", { reason: "rate-limit", retryAfter: 90 }],
  ["HTTP 429: retry after 2 more attempts", { reason: "rate-limit" }],
  ["rate limited; try again in 5 months", { reason: "rate-limit" }],
  ["HTTP 429: You exceeded your current quota (insufficient_quota)", { reason: "quota" }],
  ["You exceeded your current quota. Please retry in 35.2s.", { reason: "rate-limit", retryAfter: 36 }],
  ["HTTP 402: Insufficient credits", { reason: "quota" }],
  ["HTTP 400: Your credit balance is too low", { reason: "quota" }],
  ["HTTP 400: too long (context_length_exceeded)", { reason: "context-overflow" }],
  ["Codex ran out of room in the model's context window", { reason: "context-overflow" }],
  ["reported an error (error_max_turns)", { reason: "limit-reached" }],
  ["the model refused: no", { reason: "refused" }],
  ["Attempt 3 failed with status 500", { reason: "network" }],
  ["We’re currently experiencing high demand", { reason: "network" }],
  ["http://127.0.0.1:1/v1 could not be reached: ECONNREFUSED", { reason: "network" }],
  ["connect: connection refused", { reason: "network" }],
  ["HTTP status 404 in src/page.ts", {}],
  ["error: 3 unit tests timed out", {}],
  ["HTTP 403: fetch of example.com", {}],
  ["exited with 1 (OPENAI_API_KEY is not set)", { reason: "auth" }],
  ["exited with 2 (unrecognized option --rate-limit)", {}],
  ["exited with 1 (the rate limiter's tests are red)", {}],
  ["exited with 3", {}],
  ["the tests of authentication are red", {}],
])("%s", (words, why) => {
  expect(whyOf(words)).toEqual(why);
});

it("a status outweighs words, and so does a time given as a number", () => {
  expect(whyOf("fake 401", { status: 401 })).toEqual({ reason: "auth" });
  expect(whyOf("there is no such model", { status: 404 })).toEqual({ reason: "refused" });
  expect(whyOf("no", { status: 429, retryAfter: 7 })).toEqual({ reason: "rate-limit", retryAfter: 7 });
  expect(whyOf("no", { status: 429, retryAfter: 1.5 })).toEqual({ reason: "rate-limit", retryAfter: 2 });
  expect(whyOf("unauthorized proxy", { status: 503 })).toEqual({ reason: "network" });
});
