import assert from "node:assert/strict";
import { test } from "node:test";
import { newHealthState } from "../../../src/fold/health/new-health-state.ts";
import { classOfError } from "../../../src/fold/attempt/class-of-error.ts";
import { classOfExit } from "../../../src/decide/attempt/retry-class.ts";
import type { FailureClass } from "../../../src/model/agent/failure.ts";
import type { ErrorSignal, ExitSignal } from "../../../src/model/agent/signals.ts";

const error = (more: Partial<ErrorSignal>): ErrorSignal => ({
  kind: "error",
  text: "something",
  terminal: false,
  ...more,
});

const UNLIMITED = { health: newHealthState(0) };

test("G8 a failure is classed by what is known in a structured way before any word is read", () => {
  const cases: [Partial<ErrorSignal>, FailureClass | null][] = [
    [{ terminal: true, status: 529 }, "terminal"],
    [{ status: 401 }, "terminal"],
    [{ status: 404, text: "overloaded, try again" }, "terminal"],
    [{ status: 429 }, "rate_limited"],
    [{ status: 500, text: "invalid api key" }, "transient"],
    [{ status: 529 }, "transient"],
    [{ code: "overloaded_error", status: 400 }, "transient"],
    [{ code: "authentication_error" }, "terminal"],
    [{ code: "ECONNRESET" }, "transient"],
    [{ code: "RESOURCE_EXHAUSTED" }, "rate_limited"],
    [{ code: "never heard of", text: "Invalid API key · Please run /login" }, "terminal"],
    [{ text: "connection refused" }, "transient"],
    [{ text: "Credit balance too low · Add funds: https://example.invalid/billing" }, "terminal"],
    [{ text: "Your credit balance is too low" }, "terminal"],
    [{ text: "You have hit your usage limit" }, "rate_limited"],
    [{ text: "3 tests failed" }, null],
    [
      { text: "Ran into this error: Server error: Server error (500 Internal Server Error) at http://x" },
      "transient",
    ],
    [{ text: "Error: 503 no body" }, "transient"],
    [{ text: "request failed with status code 502" }, "transient"],
    [{ text: "502 Bad Gateway" }, "transient"],
    [{ text: "The server had an error while processing your request. Sorry about that!" }, "transient"],
    [{ text: "terminated" }, "transient"],
    [{ text: "TypeError: fetch failed" }, "transient"],
    [{ text: "the loop is not terminated" }, null],
    [{ text: "syntax error on line 512" }, null],
    [{ text: "error: 500 files could not be compiled" }, null],
    [{ text: "Error: 404 no such page" }, null],
  ];
  for (const [signal, expected] of cases)
    assert.equal(classOfError(error(signal)), expected, JSON.stringify(signal));
  assert.equal(classOfError(null), null);
});

test("G8 without any other word the exit decides: killed may pass, nothing to run never does", () => {
  const exit = (more: Partial<ExitSignal>): ExitSignal => ({ kind: "exit", how: "code", ...more });
  const cases: [ExitSignal, FailureClass][] = [
    [exit({ how: "signal", signal: "SIGKILL" }), "transient"],
    [exit({ how: "vanished" }), "transient"],
    [exit({ code: 127 }), "terminal"],
    [exit({ code: 126 }), "terminal"],
    [exit({ code: 1 }), "agent_failed"],
  ];
  for (const [given, expected] of cases)
    assert.equal(
      classOfExit({ exit: given, lastError: null, ...UNLIMITED }),
      expected,
      JSON.stringify(given),
    );
  const reported = { exit: exit({ code: 1 }), lastError: error({ status: 503 }), ...UNLIMITED };
  assert.equal(classOfExit(reported), "transient");
});
