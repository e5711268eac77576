import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { tokenStore } from "../../../src/api/guard/token-store.ts";
import { faultProblem } from "../../../src/api/server/problem.ts";
import { Fault } from "../../../src/model/fault.ts";

test("O8 a problem document names what was expected and the command that helps, wherever the message has them", () => {
  const of = (message: string, details: Record<string, unknown> = {}) => {
    const { expected, command } = faultProblem(new Fault("usage", message, { details }));
    return { expected, command };
  };
  const cases = [
    [of("limit is wrong: expected number, received NaN; expected a limit"), "a limit", undefined],
    [of("no token; see `holdfast token list`"), undefined, "holdfast token list"],
    [
      of("it has changed; look again, then: holdfast approve a --digest 1f"),
      undefined,
      "holdfast approve a --digest 1f",
    ],
    [of("no digest; expected one", { command: "holdfast inbox" }), "one", "holdfast inbox"],
    [of("nothing helps"), undefined, undefined],
  ] as const;
  for (const [found, expected, command] of cases) assert.deepEqual(found, { expected, command });
});

test("O8 P3 an owner's token that was removed or emptied is made again, and an empty one is nobody's", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-tokens-"));
  try {
    const tokens = tokenStore(folder, "anna", () => 1);
    tokens.ensureOwner();
    const first = readFileSync(tokens.ownerFile, "utf8");
    assert.equal(tokens.identify(first)?.token, "owner");
    writeFileSync(tokens.ownerFile, " \n");
    assert.deepEqual([tokens.identify(""), tokens.identify(first)], [null, null]);
    tokens.ensureOwner();
    const second = readFileSync(tokens.ownerFile, "utf8");
    assert.notEqual(second, first);
    assert.deepEqual([tokens.identify(first), tokens.identify(second)?.token], [null, "owner"]);
    rmSync(tokens.ownerFile);
    assert.equal(tokens.identify(second), null);
    tokens.ensureOwner();
    assert.notEqual(readFileSync(tokens.ownerFile, "utf8"), second);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
