import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { World } from "../../../src/model/world.ts";
import { MovingHost } from "./moving-host.ts";

interface Sent {
  readonly ref: string;
  readonly commit: string;
  readonly snapshot: string;
  readonly head: { readonly branch: string; readonly commit: string };
}

/**
 * A run's files go from one host to another. Each order has its key, so a move that was cut off anywhere is gone on with
 * by the same call. `sent.json` is what a journal would say: it stands once an upload is acknowledged.
 */
export async function moveOn(folder: string, world: World): Promise<void> {
  const host = new MovingHost(folder);
  const sent = path.join(folder, "sent.json");
  if (!existsSync(sent)) await upload(host, world, sent);
  host.swap();
  const { snapshot, ...order } = JSON.parse(readFileSync(sent, "utf8")) as Sent;
  const workspace = host.workspace("two", world);
  try {
    const branch = { name: "holdfast/one", commit: order.head.commit };
    await workspace.download({
      ...{ ...host.place(), ...order, key: "fetch", remote: host.remote, inside: "", snapshot, branch },
      ...{ keys: [{ key: "run/c1", snapshot }], ports: host.ports, atMs: 3_000 },
    });
  } finally {
    await workspace.close();
  }
  appendFileSync(path.join(folder, "moved"), ".");
}

async function upload(host: MovingHost, world: World, sent: string): Promise<void> {
  host.begin();
  const workspace = host.workspace("one", world);
  try {
    await host.make(workspace);
    if (!existsSync(path.join(host.folder, "worked"))) host.work();
    writeFileSync(path.join(host.folder, "worked"), "");
    const taken = await workspace.snapshot({ ...host.place(), key: "run/c1", atMs: 1_000 });
    const head = host.head();
    const made = await workspace.upload({
      ...{ ...host.place(), run: "run", epoch: 3, remote: host.remote, snapshot: taken.id, others: [] },
      ...{ head, branch: { name: head.branch, commit: head.commit } },
      ...{ pieces: [{ name: "said", bytes: Buffer.from("hello\n") }], previous: null, atMs: 2_000 },
    });
    const snapshot = made.without[taken.id] ?? taken.id;
    writeFileSync(`${sent}.draft`, JSON.stringify({ ref: made.ref, commit: made.commit, snapshot, head }));
  } finally {
    await workspace.close();
  }
  writeFileSync(sent, readFileSync(`${sent}.draft`));
}
