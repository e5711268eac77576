import assert from "node:assert/strict";
import { test } from "node:test";
import { isCountdown, isWaitChoice, saysOverload, saysState } from "../../../src/model/text/limit-rules.ts";
import { mayStateLimit, readLimit } from "../../../src/model/text/limit-text.ts";

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
  "The selected model is at capacity. Please try a different one.",
  "Error: The engine is currently overloaded, please try again later",
  "We're currently experiencing high demand, which may cause temporary errors.",
  "No capacity available for model large-1 on the server",
  "● Overloaded · retrying",
  "Provider busy: the service is under heavy load right now",
  "● rate-limited (resets 3pm)",
  "status: rate_limited",
  "[throttled] until 14:05",
  "⏸ Paused for usage limit · resets in 2h",
  "Waiting for rate limit to reset…",
  "⎿ Retrying in 39 seconds… (attempt 7/10)",
  "Retrying in 12s · attempt 3 of 10 · esc to interrupt",
  "[retrying in 59m 37s attempt #1]",
  "What do you want to do?\n❯ 1. Stop and wait for limit to reset\n  2. Upgrade your plan",
  "│ ● 2. Wait until your quota resets │",
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
  "GitHub: API rate limit exceeded for user ID 1234.",
  "npm error 429 Too Many Requests - GET https://packages.example.org/left-pad",
  "toomanyrequests: You have reached your pull rate limit.",
  "fatal: unable to access 'https://git.example.org/x.git/': The requested URL returned error: 429",
  "Request to https://shop.example.com/items failed with status code 429",
  "HTTP 429 Too Many Requests from api.example.org",
  "WebFetch: HTTP error 429 Too Many Requests",
  "The server is busy handling the request when the test starts.",
  "The queue is at capacity in the load test, as expected.",
  "The model is overloaded with responsibilities, so I split it.",
  "Overloaded constructors are listed below.",
  "There is no capacity planning yet.",
  "rate_limited: false,",
  "status: not rate limited",
  "throttled events are dropped by the debouncer",
  "Waiting for the build to finish",
  "waiting for rate limiter tests",
  "Connection lost. Retrying in 5s",
  "connect ECONNREFUSED 127.0.0.1:5432\nRetrying in 5 seconds...",
  "Retrying in 5 seconds is the default of the client.",
  "retry in 3 places",
  "We wait for the limit to reset before the next batch.",
  "1. Wait for the server to reset",
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

test("L4 an agent that tries again by itself is distinguished from one that gave up", () => {
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

test("L4 a line without a word of a limit is read as none by every rule", () => {
  for (const line of STATED.flatMap((text) => text.split("\n")))
    if (readLimit(line) !== null) assert.ok(mayStateLimit(line), line);
  for (const line of NOT_STATED.flatMap((text) => text.split("\n"))) {
    if (mayStateLimit(line)) continue;
    assert.ok(!saysOverload(line) && !saysState(line) && !isCountdown(line, "") && !isWaitChoice(line), line);
  }
});
