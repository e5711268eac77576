import assert from "node:assert/strict";
import { test } from "node:test";
import { readLimit } from "../../src/model/limit-text.ts";

const STATED = [
  "5-hour limit reached ∙ resets 3pm",
  "  ⎿  Weekly limit reached ∙ resets Monday at 9am",
  "You've reached your usage limit. Try again in 1h 12m.",
  "Sorry, you've hit a rate limit on requests to this model. Please try again in 47 minutes.",
  "You have exhausted your capacity on this model. Your quota will reset after 2h3m10s.",
  "│ Usage limit reached for the large model.                  │",
  "Rate limit reached for the model on requests per min: Limit 3, Used 3. Please try again in 20s.",
  "Rate limited. Retrying in 12s",
  "The usage limit has been reached [retrying in 59m 37s attempt #1]",
  "HTTP 429 Too Many Requests (retry-after: 30)",
  "Request failed with status code 429",
  "API Error: 529 Overloaded · Retrying in 8 seconds… (attempt 5/10)",
  'API Error (429 {"type":"error","error":{"type":"rate_limit_error","message":"wait"}})',
  "provider.ResourceExhausted: 429 Quota exceeded for online requests",
  "12:01:33 - WARN client.py:12 - ThrottlingException: Too many requests, please wait.",
  "[API Error: The model is overloaded. Please try again later.]",
  "Error code: 429 - {'error': {'message': 'You exceeded your current quota', 'type': 'insufficient_quota'}}",
  "some output before\n⚠️ You've hit your limit · resets 7pm (UTC)\n> ",
];

const NOT_STATED = [
  "",
  "Approaching usage limit · resets at 7pm",
  "You've used 92% of your session limit · resets 7pm",
  "Current session: 41% used · Resets 3pm",
  "test_limits.py::test_429_is_retried PASSED",
  "Added a middleware that returns 429 when the rate limit is exceeded.",
  "The endpoint now responds with 429 Too Many Requests after 5 attempts.",
  "expect(answer.status).toBe(429)",
  "if (response.status === 429) {",
  'raise RateLimitError("Rate limit exceeded")',
  "except openai.RateLimitError:",
  "app.use(limit({ max: 100, message: 'Too many requests' }))",
  "Disk quota exceeded",
  "error TS2345 at src/a.ts(429,12)",
  "Recursion limit reached",
  "Context limit reached · compact to continue",
  "I see that the rate limit was exceeded in the log, so I'll add a wait.",
  "1. Rate limit exceeded errors are retried three times",
  "| 429 | `limited` | Rate limit exceeded (see the header) |",
  "+  return 'You have hit your usage limit';",
  "src/errors/rate_limit_exceeded.ts",
  "HTTP 429 is what the service returns when you are rate limited.",
  "generate the report, moderate the comments",
];

for (const text of STATED)
  test(`L4 a limit is recognised: ${JSON.stringify(text.slice(0, 70))}`, () => {
    assert.notEqual(readLimit(text), null);
  });

for (const text of NOT_STATED)
  test(`L4 no limit is seen in: ${JSON.stringify(text.slice(0, 70))}`, () => {
    assert.equal(readLimit(text), null);
  });

test("L4 an agent that tries again by itself is told from one that gave up", () => {
  assert.equal(readLimit("Rate limited. Retrying in 12s")?.phase, "retrying");
  assert.equal(readLimit("You've hit your usage limit.")?.phase, "hard");
});

test("L4 text made to be slow is read in bounded time", () => {
  const nasty = [
    "you've hit ".repeat(20_000),
    "error ".repeat(50_000),
    "limit reached ".repeat(30_000),
    ": ".repeat(200_000),
    "429 ".repeat(100_000),
  ];
  const started = process.cpuUsage();
  for (const text of nasty) readLimit(text);
  // Of processor time, and a hundred times what it takes: only a search that explodes comes near it.
  assert.ok(process.cpuUsage(started).user < 10_000_000);
});
