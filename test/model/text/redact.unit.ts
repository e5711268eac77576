import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { redactAll, redactor, secretsIn } from "../../../src/model/text/redact.ts";
import { LOOK_ALIKES, seededSecrets } from "../secret-samples.ts";

const bare = redactor([]);

test("P5 60 secrets of known vendors are removed from a text, by name, wherever they stand in it", () => {
  const secrets = seededSecrets(1911);
  assert.ok(secrets.length >= 60, String(secrets.length));
  for (const { name, value, around = (secret: string) => secret } of secrets)
    for (const place of [
      (s: string) => s,
      (s: string) => `export X="${s}"\n`,
      (s: string) => `{"a":"${s}"}`,
      (s: string) => `\u001b[1;38;5;231m${s}\u001b[39m`,
    ]) {
      const text = place(around(value));
      const clean = bare(text);
      assert.ok(!clean.includes(value), `${name}: ${text} became ${clean}`);
      assert.ok(clean.includes(`[redacted: ${name}]`), `${name}: ${clean}`);
    }
});

test("P5 200 texts that only look like secrets stay as they are, byte for byte", () => {
  assert.ok(LOOK_ALIKES.length >= 200, String(LOOK_ALIKES.length));
  for (const text of LOOK_ALIKES) assert.equal(bare(text), text);
});

test("P5 a known value is removed in every form that programs write it in", () => {
  const value = 'p@ss wörd/+"quoted" 1911';
  const redact = redactor([{ name: "DB_PASSWORD", value }]);
  const bytes = Buffer.from(value);
  const forms = [
    value,
    encodeURIComponent(value),
    JSON.stringify({ password: value }),
    `prefix ${value}${value} suffix`,
    ...["", "a", "ab", "user:"].flatMap((before) =>
      (["base64", "base64url"] as const).map((code) =>
        Buffer.concat([Buffer.from(before), bytes, Buffer.from("tail")]).toString(code),
      ),
    ),
  ];
  for (const form of forms) {
    const clean = redact(form);
    assert.match(clean, /\[redacted: DB_PASSWORD\]/, form);
    assert.ok(!clean.includes(value));
  }
});

test("P5 of values that contain each other the longer one is removed, and short values are left alone", () => {
  const redact = redactor([
    { name: "SHORT", value: "abc" },
    { name: "PART", value: "0123456789" },
    { name: "WHOLE", value: "0123456789-and-more" },
  ]);
  assert.equal(redact("0123456789-and-more 0123456789 abc"), "[redacted: WHOLE] [redacted: PART] abc");
});

test("P5 every text inside of a value is looked at, names of fields are not", () => {
  const redact = redactor([{ name: "T", value: "hunter2hunter2" }]);
  const before = { hunter2hunter2: ["hunter2hunter2", 7, null, { deep: "x hunter2hunter2" }] };
  assert.deepEqual(redactAll(before, redact), {
    hunter2hunter2: ["[redacted: T]", 7, null, { deep: "x [redacted: T]" }],
  });
});

test("P5 variables with the names of secrets are known, and places, switches and sockets are not", () => {
  const secret = randomBytes(12).toString("hex");
  const names = [
    "OPENAI_API_KEY",
    "GH_TOKEN",
    "PGPASSWORD",
    "MY_SECRET",
    "DATABASE_DSN",
    "apikey",
    "NPM_AUTH",
  ];
  const env = Object.fromEntries(names.map((name) => [name, secret]));
  assert.deepEqual(
    secretsIn(env).map(({ name }) => name),
    names,
  );
  const others = {
    SSH_AUTH_SOCK: "/run/user/1000/ssh-agent",
    PWD: "/home/somebody/work",
    KEYBOARD_LAYOUT: secret,
    MONKEY: secret,
    TOKENIZERS_PARALLELISM: secret,
    GITHUB_TOKEN: "short",
    KEY_FILE: "/etc/keys/one.pem",
    USE_TOKEN: "true",
    PLAIN: secret,
  };
  assert.deepEqual(secretsIn(others), []);
  assert.deepEqual(secretsIn(others, ["PLAIN"]), [{ name: "PLAIN", value: secret }]);
});

test("P5 a long text without secrets is given back as it is", () => {
  const long = Array.from({ length: 2_000 }, (_, nth) =>
    createHash("sha256")
      .update(String(nth))
      .digest(nth % 2 === 0 ? "hex" : "base64"),
  ).join("\n");
  assert.equal(bare(long), long);
});
