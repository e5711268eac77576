import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { EXCERPT_CHARS_MAX } from "../../src/model/effects/evidence.ts";
import { decideCheck } from "../../src/quality/check-verdict.ts";
import { outputDigest } from "../../src/quality/output-digest.ts";

const excerptOf = (bytesMax: number, texts: readonly (string | Buffer)[], note = ""): string => {
  const output = outputDigest(bytesMax);
  for (const text of texts) output.push(Buffer.from(text));
  return output.excerpt(note);
};

test("G6 output that fits is shown whole, however it was cut into pieces", () => {
  assert.equal(excerptOf(100, ["grü", "ße ", "日本"]), "grüße 日本");
  const euro = Buffer.from("€");
  assert.equal(excerptOf(100, [euro.subarray(0, 1), euro.subarray(1)]), "€");
  assert.equal(excerptOf(6, [Buffer.from("a€€")]), "a\ufffd\n[… 1 bytes left out …]\n€");
});

test("G6 no matter what is written, the account is exact and the excerpt bounded and printable", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 6_000 }), { maxLength: 8 }),
      fc.nat(40_000),
      (pieces, bytesMax) => {
        const output = outputDigest(bytesMax);
        for (const piece of pieces) output.push(Buffer.from(piece));
        const whole = Buffer.concat(pieces);
        const excerpt = output.excerpt("\n[note]");
        assert.equal(output.bytes(), whole.length);
        assert.equal(output.digest(), createHash("sha256").update(whole).digest("hex"));
        assert.ok(excerpt.length <= EXCERPT_CHARS_MAX && excerpt.endsWith("\n[note]"));
        // eslint-disable-next-line no-control-regex -- that there is none is the point
        assert.doesNotMatch(excerpt, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff]/u);
      },
    ),
    { numRuns: 60 },
  );
});

test("G6 only an exit code of 0 by itself is a pass", () => {
  fc.assert(
    fc.property(
      fc.option(fc.integer({ min: 0, max: 255 })),
      fc.option(fc.constantFrom("SIGKILL", "SIGTERM", "SIGSEGV")),
      fc.constantFrom("itself" as const, "limit" as const, "abort" as const),
      (exitCode, signal, cause) => {
        const { verdict } = decideCheck({ exitCode, signal, cause }, 1);
        assert.equal(verdict === "pass", exitCode === 0 && signal === null && cause === "itself");
      },
    ),
  );
});
