import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseStore, withoutPassword } from "../../../src/cli/shell/store-url.ts";
import { stateFolder } from "../../../src/cli/shell/surroundings.ts";
import { isFault } from "../../../src/model/fault.ts";

const at = (env: Record<string, string>) => ({ env, cwd: "/project/here", home: "/home/ann" });

test("O1 the state folder is HOLDFAST_HOME, or holdfast in the XDG state folder, which must be absolute", () => {
  assert.equal(stateFolder(at({})), "/home/ann/.local/state/holdfast");
  assert.equal(stateFolder(at({ XDG_STATE_HOME: "/var/state" })), "/var/state/holdfast");
  assert.equal(stateFolder(at({ XDG_STATE_HOME: "relative" })), "/home/ann/.local/state/holdfast");
  assert.equal(
    stateFolder(at({ HOLDFAST_HOME: "mine", XDG_STATE_HOME: "/var/state" })),
    "/project/here/mine",
  );
});

test("O1 --store goes before HOLDFAST_STORE, which goes before the default store", () => {
  assert.equal(chooseStore(undefined, at({})).file, "/home/ann/.local/state/holdfast/holdfast.db");
  assert.equal(chooseStore(undefined, at({ HOLDFAST_STORE: "sqlite:/a.db" })).file, "/a.db");
  assert.equal(chooseStore("sqlite:b.db", at({ HOLDFAST_STORE: "sqlite:/a.db" })).file, "/project/here/b.db");
  assert.equal(chooseStore("sqlite:~/c.db", at({})).file, "/home/ann/c.db");
  assert.equal(chooseStore("sqlite:", at({})).file, "/home/ann/.local/state/holdfast/holdfast.db");
});

test("O1 printed commands name a store only if it is not the default one, and then by its whole path", () => {
  assert.equal(chooseStore(undefined, at({})).named, null);
  assert.equal(chooseStore("sqlite:", at({})).named, null);
  assert.equal(chooseStore("sqlite:b.db", at({})).named, "sqlite:/project/here/b.db");
});

test("P4 a store that is not understood names the value and what was expected", () => {
  const wrong: [string, string, RegExp][] = [
    ["runs.db", "usage", /--store is "runs\.db"; expected sqlite:PATH or .*, for instance sqlite:runs\.db/],
    ["mysql://x", "usage", /expected sqlite:PATH/],
    ["memory:", "usage", /expected sqlite:PATH/],
    ["postgres:h", "usage", /expected sqlite:PATH or postgres:\/\/USER@HOST\/DATABASE/],
  ];
  for (const [text, code, message] of wrong)
    assert.throws(
      () => chooseStore(text, at({})),
      (error: unknown) => isFault(error) && error.code === code && message.test(error.message),
      text,
    );
});

test("O1 a PostgreSQL store is named without its password, and not at all where the environment names it", () => {
  const url = "postgres://ann:s3cret@db:5432/runs?sslmode=verify-full";
  const given = chooseStore(url, at({}));
  assert.deepEqual(given, {
    url,
    shown: "postgres://ann@db:5432/runs?sslmode=verify-full",
    file: null,
    named: "postgres://ann@db:5432/runs?sslmode=verify-full",
    isDefault: false,
  });
  assert.equal(chooseStore(undefined, at({ HOLDFAST_STORE: url })).named, null);
  for (const text of [
    "postgres://a:s3@cret@h/d?password=s3cret",
    "postgresql://:s3cret@/d",
    "mysql://a:s3cret@h",
  ])
    assert.doesNotMatch(withoutPassword(text), /cret/, text);
});
