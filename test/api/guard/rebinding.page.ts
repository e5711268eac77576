import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBrowser } from "../../web/browser.ts";
import { playForeignPages } from "./foreign-pages.ts";
import { GuardStage } from "./guard-stage.ts";

const skip = noBrowser;
const stage = new GuardStage();
before(async () => {
  if (skip === false) await stage.open();
});
after(() => stage.close());

test(
  "O8 P3 a page of another name that resolves to this machine reads nothing, and writes nothing, beside somebody who is logged in",
  { skip, timeout: 180_000 },
  async () => {
    const { succeeded, asOwner, landed } = await playForeignPages(stage.bench);
    assert.equal(asOwner, 200, "its own pages do read");
    assert.equal(landed, 421);
    assert.deepEqual(succeeded, []);
    assert.ok(await stage.isUntouched(), "the journal is as it was");
  },
);
