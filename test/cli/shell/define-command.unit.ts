import assert from "node:assert/strict";
import { test } from "node:test";
import { EXIT, EXIT_OF_FAULT, EXIT_OF_STATUS } from "../../../src/cli/shell/define-command.ts";
import { FAULT_CODES, type FaultCode } from "../../../src/model/fault.ts";
import { RUN_STATUSES } from "../../../src/model/state/run-status.ts";

test("O1 every fault has its exit code: wrong input 2, not trusted 3, not found 4, refused 5, the store 6, anything else 1", () => {
  for (const code of Object.keys(FAULT_CODES) as FaultCode[]) {
    const store = code.startsWith("store_") || code === "journal_damaged";
    const named: Partial<Record<FaultCode, number>> = {
      usage: 2,
      config_invalid: 2,
      untrusted: 3,
      not_found: 4,
      refused: 5,
      file_refused: 5,
    };
    assert.equal(EXIT_OF_FAULT[code], store ? 6 : (named[code] ?? 1), code);
  }
});

test("O1 a run in front ends with 0 when completed, 1 when failed or cancelled, 3 when somebody is waited for", () => {
  for (const status of RUN_STATUSES) {
    const ended: Record<string, number> = { completed: 0, failed: 1, cancelled: 1 };
    assert.equal(EXIT_OF_STATUS[status], ended[status] ?? 3, status);
  }
  assert.equal(EXIT.interrupted, 130);
});
