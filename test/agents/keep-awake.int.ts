import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { inhibitorFor, keepAwake } from "../../src/agents/keep-awake.ts";
import { realWorld } from "../../src/real-world.ts";

const world = realWorld();

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !holds(); await delay(20))
    assert.ok(Date.now() < end, `never: ${what}`);
}

/** A program in the place of systemd-inhibit that writes down when it began and ended, and runs what it is given. */
function aSystem(t: TestContext, script: string) {
  const root = mkdtempSync(path.join(tmpdir(), "holdfast-awake-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const log = path.join(root, "log");
  writeFileSync(path.join(root, "systemd-inhibit"), script.replaceAll("LOG", log));
  chmodSync(path.join(root, "systemd-inhibit"), 0o755);
  const folder = path.join(root, "awake");
  const options = {
    world,
    folder,
    isOn: true,
    platform: "linux",
    searchPath: `${root}:/usr/bin:/bin`,
  } as const;
  return { options, logged: () => (existsSync(log) ? readFileSync(log, "utf8") : "") };
}

const RECORDS = `#!/bin/sh
echo "began $*" >> LOG
exec 3<&0
trap 'echo ended >> LOG; exit 0' TERM
for last; do :; done
"$last" <&3 &
wait $!
echo ended >> LOG
`;

test("A10 the machine is kept awake while agents work, once for all of them, and let go when this process ends its work", async (t) => {
  const { options, logged } = aSystem(t, RECORDS);
  const awake = keepAwake(options);
  awake.set(false);
  assert.equal(awake.of(process.pid), null);
  awake.set(true);
  awake.set(true);
  await until("held", () => logged().includes("began"));
  assert.match(
    logged(),
    /^began --what=sleep:idle --who=Holdfast --why=agents are working --mode=block cat\n$/,
  );
  assert.equal(awake.of(process.pid)?.text, "the machine is kept awake by systemd-inhibit");
  awake.set(false);
  awake.set(true);
  awake.close();
  await until("let go", () => logged().includes("ended"));
  assert.equal(awake.of(process.pid), null);
  assert.equal(logged().match(/began/g)?.length, 1);
});

test("A10 where the machine cannot be kept awake, it is said why, and work goes on", async (t) => {
  const { options } = aSystem(t, "#!/bin/sh\necho 'Failed to inhibit: no bus' >&2\nexit 1\n");
  const awake = keepAwake(options);
  awake.set(true);
  await until("told", () => awake.of(process.pid)?.by === null);
  assert.match(
    awake.of(process.pid)?.text ?? "",
    /may sleep while agents work: systemd-inhibit ended with 1: Failed to inhibit: no bus/,
  );
  awake.close();
  const none = keepAwake({ ...options, searchPath: "/nowhere" });
  none.set(true);
  assert.match(none.of(process.pid)?.text ?? "", /systemd-inhibit was not found on PATH/);
  none.close();
});

test("A10 it is switched off by the configuration, and macOS has a program of its own", () => {
  const off = inhibitorFor({ isOn: false, platform: "linux", searchPath: "/usr/bin" });
  assert.match(String(off), /supervisor\.keepAwake is false/);
  assert.match(
    String(inhibitorFor({ isOn: true, platform: "freebsd", searchPath: "" })),
    /not possible on freebsd/,
  );
  assert.match(
    String(inhibitorFor({ isOn: true, platform: "darwin", searchPath: "" })),
    /caffeinate was not found/,
  );
});
