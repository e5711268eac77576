import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostFacts, HostRecord } from "../../../src/model/host/host-record.ts";
import { placementText } from "../../../src/views/fleet/placement-text.ts";

const host = (name: string, facts: Partial<HostFacts> = {}, more: Partial<HostRecord> = {}): HostRecord => ({
  facts: {
    ...{ id: `host_${name}`, name, boot: "", version: "0.1.0", slots: 8, agents: [], leaseMs: 10_000 },
    ...{ freeMemoryBytes: 0, freeDiskBytes: null, phase: "up", draining: false, ...facts },
  },
  ...{ drainedBy: null, joinedAt: 0, beats: 1, silentMs: 0, ...more },
});

test("F1 a queued run says what it waits for where no host may take it, and nothing where one may", () => {
  const one = host("one", { labels: ["gpu"] });
  const two = host("two");
  assert.equal(placementText(undefined, undefined), null);
  assert.equal(placementText({ labels: ["gpu"] }, [one, two]), null);
  assert.equal(placementText({ host: "two" }, [one, two]), null);
  assert.equal(
    placementText({ labels: ["arm"] }, [one, two]),
    "waits for a host with the labels arm: no host has them",
  );
  assert.equal(
    placementText({ host: "three" }, [one, two]),
    "waits for the host three: there is none; `hosts` lists those that are",
  );
  const down = host("one", { labels: ["gpu"] }, { silentMs: 20_000 });
  const draining = host("two", { labels: ["gpu"], draining: true }, { drainedBy: "ada" });
  assert.equal(
    placementText({ labels: ["gpu"] }, [down, draining]),
    "waits for a host with the labels gpu: those that fit take no runs now: one (down), two (draining)",
  );
});
