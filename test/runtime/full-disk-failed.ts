import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { argv } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { fullDisks, openSystem } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import { isFault } from "../../src/model/fault.ts";
import { flowSchema } from "../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { withFullDisks } from "../../src/views/status/full-disk-status.ts";
import { statusView } from "../../src/views/status/status.ts";

/*
 * A child of a test, in a mount namespace of its own: `full-disk-failed.ts FOLDER`. The disk fills up at the instant at
 * which SQLite needs room for the index of its log: it calls that an I/O error, as it does a quota and a sync that finds
 * no room, and not a full disk. Prints what became of the store, its supervisor and the run.
 */

const [, , folder = ""] = argv;
const FULL_MS = 2_500;
/** The first part of the index holds so many frames; the next one makes the file longer. */
const FRAMES_IN_FIRST_PART = 4_062;
const FRAME_BYTES = 4_096 + 24;
execFileSync("mount", ["-t", "tmpfs", "-o", "size=40m", "tmpfs", folder], { stdio: "pipe" });
const cwd = path.join(folder, "work");
mkdirSync(cwd);
const script = path.join(folder, "script.json");
const acts = [
  { do: "say", text: "one" },
  { do: "wait", file: "go" },
  { do: "say", text: "two" },
  { do: "claim", ok: true, text: "done" },
];
writeFileSync(script, JSON.stringify({ attempts: [acts] }));

const file = path.join(folder, "holdfast.db");
const system = await openSystem({
  store: `sqlite:${file}`,
  settings: configSchema.parse({ lease: { ms: 1_500 } }),
});
const { journal } = system.ports;

/** As long as somebody reads, the log only grows. */
const reader = new DatabaseSync(file);
reader.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
let asked = 0;
const ask = async (chars: number): Promise<void> => {
  asked += 1;
  const request = { kind: "tell", text: "x".repeat(chars) } as const;
  await journal.ask({ id: `req_${String(asked)}`, address: "nobody", request, by: "test", at: asked });
};
const logBytes = (): number => statSync(`${file}-wal`).size;
while (logBytes() < (FRAMES_IN_FIRST_PART - 300) * FRAME_BYTES) await ask(100_000);

const held = await system.createRun({
  goal: "write something",
  flow: flowSchema.parse({ name: "goal", steps: [{ name: "work", task: "write", agent: "demo" }] }),
  agents: { demo: { use: "demo", script } },
  settings: runSettingsSchema.parse({ backoff: { baseMs: 50, capMs: 100 } }),
  budget: {},
  cwd,
  by: "test",
});
const news: string[] = [];
const supervisor = system.supervisor({
  only: held.run,
  held,
  onStoreFull: () => news.push("full"),
  onStoreRoom: () => news.push("room"),
});
const working = supervisor.work().then(
  () => "worked",
  (fault: unknown) => String(fault),
);
const lastSignalAt = async () => (await system.loadRun(held.run))?.attempts["work#1"]?.lastSignalAt ?? null;
while ((await lastSignalAt()) === null) await delay(20);

/** To the last byte. */
function fill(ballast: string): void {
  const fd = openSync(ballast, "w");
  for (let size = 65_536; size >= 1; size = size > 1 ? size / 16 : 0)
    try {
      for (;;) if (writeSync(fd, Buffer.alloc(size)) < size) break;
    } catch {
      continue;
    }
  closeSync(fd);
}

/** The log gets its room first, so that it is the index for which there is none. */
const ballast = path.join(folder, "ballast");
const wal = openSync(`${file}-wal`, "r+");
const ahead = (FRAMES_IN_FIRST_PART + 60) * FRAME_BYTES - logBytes();
if (ahead > 0) writeSync(wal, Buffer.alloc(ahead), 0, ahead, logBytes());
closeSync(wal);
fill(ballast);
const seqBefore = (await system.loadRun(held.run))?.seq ?? 0;
let refused: unknown = null;
let acknowledged = asked;
for (let tries = 0; refused === null && tries < 2_000; tries += 1)
  await ask(3_000).then(
    () => (acknowledged = asked),
    (fault: unknown) => (refused = fault),
  );
await delay(FULL_MS);
const full = fullDisks([folder]);
const other = await openSystem({ store: `sqlite:${file}`, settings: configSchema.parse({}) }).catch(String);
const state = typeof other === "string" ? null : await other.loadRun(held.run);
const seen = state === null ? null : withFullDisks(statusView(state, null), full, null);
if (typeof other !== "string") await other.close();
const alive = supervisor.stateOf(held.run) !== undefined;
reader.close();
rmSync(ballast);
writeFileSync(path.join(cwd, "go"), "");
const end = await Promise.race([working, delay(20_000, "late", { ref: false })]);
const after = await system.loadRun(held.run).catch(() => null);
const inbox = await journal.inbox("nobody").catch(() => []);
const damages = await journal.verify().catch(String);
const cause = refused instanceof Error && refused.cause instanceof Error ? refused.cause : null;
process.stdout.write(
  JSON.stringify({
    code: isFault(refused) ? refused.code : null,
    sqlite: cause !== null && "errcode" in cause ? cause.errcode : null,
    text: String(refused),
    news,
    alive,
    end,
    status: after?.status,
    isLonger: (after?.seq ?? 0) > seqBefore,
    charged: after?.steps["work"]?.charged,
    damages,
    lost: acknowledged - inbox.filter(({ id }) => Number(id.slice(4)) <= acknowledged).length,
    health: seen?.health,
    blocked: seen?.blocked,
  }),
);
await system.close();
