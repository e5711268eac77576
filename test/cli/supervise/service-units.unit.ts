import assert from "node:assert/strict";
import { test } from "node:test";
import { launchdPlist, systemdUnits } from "../../../src/cli/supervise/service-units.ts";
import { takeServiceNotice } from "../../../src/cli/supervise/service-notice.ts";

const ORDER = {
  name: "holdfast",
  command: ["/usr/bin/node", '/opt/a b/100%/$x/"q"\\.js', "up", "--service"],
  cwd: "/home/me/100%",
  env: { PATH: "/bin:/a b", HOLDFAST_STORE: "postgres://u:p%40<&>@h/d" },
  envFile: "/home/me/.local/state/holdfast/service.env",
  log: "/home/me/x&y.log",
  silentMs: 600_000,
  graceMs: 30_000,
  checkMs: 300_000,
};

test("L8 P4 words with spaces, quotes, percent signs and dollars reach a unit's command whole", () => {
  const [service] = systemdUnits(ORDER);
  assert.match(
    service?.text ?? "",
    /^ExecStart="\/usr\/bin\/node" "\/opt\/a b\/100%%\/\$\$x\/\\"q\\"\\\\\.js" "up" "--service"$/m,
  );
  assert.match(service?.text ?? "", /^WorkingDirectory=-\/home\/me\/100%%$/m);
  assert.match(service?.text ?? "", /^Environment="HOLDFAST_STORE=postgres:\/\/u:p%%40<&>@h\/d"$/m);
});

test("L8 the plist for launchd is XML whose every element is closed, and names what is started again and when", () => {
  const { name, text } = launchdPlist(ORDER);
  assert.equal(name, "dev.holdfast.holdfast.plist");
  const open: string[] = [];
  for (const [, close, element = "", empty] of text.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (close === "/") assert.equal(open.pop(), element, text);
    else if (empty !== "/") open.push(element);
  }
  assert.deepEqual(open, []);
  assert.match(text, /<string>\/home\/me\/x&amp;y\.log<\/string>/);
  assert.match(text, /<string>postgres:\/\/u:p%40&lt;&amp;&gt;@h\/d<\/string>/);
  assert.match(text, /<key>KeepAlive<\/key>\s*<dict><key>SuccessfulExit<\/key><false\/><\/dict>/);
  assert.match(text, /<key>AbandonProcessGroup<\/key>\s*<true\/>/);
});

test("L8 the service manager's socket is taken out of the environment, no matter who is notified", () => {
  const env = { NOTIFY_SOCKET: "/run/x", WATCHDOG_USEC: "1", WATCHDOG_PID: "2", PATH: "/bin" };
  assert.notEqual(
    takeServiceNotice(env, () => undefined),
    null,
  );
  assert.deepEqual(env, { PATH: "/bin" });
  assert.equal(
    takeServiceNotice(env, () => undefined),
    null,
  );
});
