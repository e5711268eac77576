import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { EventData } from "../../src/model/events/events.ts";
import { httpReceiver, type Receiver } from "../notify/receiver.ts";
import { noBrowser, WebBrowser } from "../web/browser.ts";
import { ApiBench } from "./api-bench.ts";

/** A notice arrives on somebody's phone: its link opens the entry of the inbox, and what is approved there is what was shown. */
const skip = noBrowser;
const limit = { skip, timeout: 180_000 };
const browser = new WebBrowser();
let bench: ApiBench;
let receiver: Receiver;

const GATED = `name: gated
steps:
  - { name: build, task: build it, agent: demo, phase: make }
  - { name: ship, task: ship it, agent: demo, phase: out }
phases:
  - { name: make, gate: { name: release, kind: approval } }
  - { name: out }
`;

before(async () => {
  if (skip !== false) return;
  receiver = await httpReceiver((response) => response.end("{}"));
  const url = `http://127.0.0.1:${String(receiver.port)}/hook`;
  const notify = { channels: { phone: { use: "webhook", url, allowPrivate: true } } };
  bench = new ApiBench({
    "gated.yaml": GATED,
    "holdfast.yaml": JSON.stringify({
      supervisor: { idleExitMs: 300, scanMs: 100 },
      workspace: { isolation: "none" },
      notify,
    }),
  });
  await Promise.all([bench.serve(), browser.launch()]);
  // The other one is older, so that it stands first where the link says nothing.
  for (const id of ["first-gate", "second-gate"]) {
    const { code, stderr } = await bench.cli.call(["run", "--flow", "gated.yaml", "--id", id]);
    assert.equal(code, 3, stderr);
  }
});
after(async () => {
  if (skip !== false) return;
  await browser.close();
  await bench.close();
  await receiver.close();
});

interface Posted {
  readonly text: string;
  readonly data: {
    readonly run: string;
    readonly kind: string;
    readonly link: string;
    readonly escalation: string;
  };
}

const posted = (run: string): Posted => {
  const all = receiver.received.map(({ body }) => JSON.parse(body) as Posted);
  const found = all.find(({ data }) => data.run === run && data.kind === "escalation");
  assert.ok(found !== undefined, JSON.stringify(all));
  return found;
};

test(
  "O8 O3 the link of a notice opens its entry of the inbox after a login, and what is approved there is the digest that was shown",
  limit,
  async () => {
    const { text, data } = posted("second-gate");
    assert.equal(data.link, `${bench.ready.url}/inbox?item=${encodeURIComponent(data.escalation)}`);
    assert.ok(text.endsWith(data.link), text);
    const page = await browser.page({ size: "phone" });
    await page.goto(data.link);
    await page.getByText("holdfast dashboard").waitFor();
    const { loginUrl } = await bench.client.createLogin({ body: {} });
    await page.goto(loginUrl);
    assert.equal(page.url(), data.link, "the login leads to what was asked for");
    const detail = page.locator(".inbox-detail");
    await detail.waitFor();
    assert.match(await detail.innerText(), /second-gate/);
    const shown = await page.locator(".facts .mono").innerText();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await bench.cli.reaches("second-gate", "completed");
    const events = await bench.cli.eventsOf("second-gate");
    const asked = events.find(
      ({ type, data: received }) => type === "RequestHeard" && received.request.kind === "approve",
    );
    const { request } = asked?.data as EventData<"RequestHeard">;
    assert.ok("digest" in request && shown.startsWith(request.digest ?? "-"), JSON.stringify(request));
    const other = await bench.client.getRun({ params: { run: "first-gate" } });
    assert.equal(other.status, "awaiting_approval", "no other question was answered");
  },
);

test(
  "O8 an approval of what is not shown any more is refused, and one that names nothing is",
  limit,
  async () => {
    const order = { params: { run: "first-gate" } };
    const refused = [
      [{ kind: "approve", digest: "0123456789abcdef" }, 409],
      [{ kind: "approve" }, 400],
      [
        { kind: "approve", digest: "0123456789abcdef", escalation: posted("first-gate").data.escalation },
        409,
      ],
    ] as const;
    for (const [body, status] of refused)
      await assert.rejects(bench.client.ask({ ...order, body }), { status }, JSON.stringify(body));
    assert.equal((await bench.client.getRun(order)).status, "awaiting_approval");
  },
);

test("O8 O3 where no server lives a notice has no link", limit, async () => {
  await bench.end();
  await bench.cli.call(["run", "--flow", "gated.yaml", "--id", "without"]);
  assert.equal(posted("without").data.link, null);
});
