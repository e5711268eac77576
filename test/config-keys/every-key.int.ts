import assert from "node:assert/strict";
import { after, test } from "node:test";
import { restsToday } from "../day-sample.ts";
import { configured } from "./proof.ts";
import { PROOFS } from "./proofs.ts";
import { closeAll } from "./real.ts";
import { schemaKeys } from "./schema-keys.ts";

after(closeAll);

test("P4 every key of the configuration has a proof that it changes behaviour, and every proof a key", () => {
  const keys = schemaKeys();
  assert.ok(keys.length > 100, "the schema has fewer keys than expected");
  const proved = PROOFS.map(({ key }) => key);
  assert.deepEqual(
    keys.filter((key) => !proved.includes(key)),
    [],
    "keys that nothing shows to matter",
  );
  assert.deepEqual(
    proved.filter((key) => !keys.includes(key)),
    [],
    "proofs of keys that do not exist",
  );
});

/** Each key has its turn on one day in so many. */
const DAYS = 2;

for (const [at, proof] of PROOFS.entries())
  test(`P4 ${proof.key} changes behaviour`, { skip: restsToday(at, DAYS) }, async () => {
    const { values, observe, shows } = proof;
    const one = await observe(configured(proof, values[0]));
    const other = await observe(configured(proof, values[1]));
    assert.notDeepEqual(one, other, "both values come to the same");
    assert.deepEqual([one, other], shows);
  });
