import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(3);

const FAKETIME = [
  process.env["HOLDFAST_FAKETIME"] ?? "",
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
].find((file) => file !== "" && existsSync(file));
const skip =
  FAKETIME === undefined &&
  "libfaketime is not installed (apt install libfaketime, or name its file in HOLDFAST_FAKETIME)";

const DAY_MS = 86_400_000;
const SLACK_MS = 60_000;
const ACTS = [
  { do: "say", text: "part 1" },
  { do: "wait", file: "go-1" },
  { do: "say", text: "part 2" },
  { do: "wait", file: "go-2" },
  { do: "say", text: "part 3" },
  { do: "claim", ok: true, text: "all parts" },
];

test(
  "P2 L1 a clock that is set by a day, forward and back, ends no agent and is reported",
  { skip },
  async (t) => {
    const bench = new CliBench({ "agent.json": JSON.stringify({ attempts: [ACTS] }) });
    t.after(() => bench.close());
    const clock = path.join(bench.root, "clock");
    const set = (offset: string): void => {
      writeFileSync(clock, offset);
    };
    set("+0");
    const run = bench.start(["run", "g", "--id", "r", "--agent", "demo:./agent.json"], {
      env: {
        LD_PRELOAD: FAKETIME ?? "",
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      },
    });
    await bench.receives("r", "part 1");
    set("+1d");
    bench.write("go-1", "");
    await bench.receives("r", "part 2");
    const doctor = await bench.call(["doctor"]);
    assert.match(doctor.stdout, /clock: \S+ the clock was set forward by 1d: .*status r/);
    set("+0");
    bench.write("go-2", "");
    const ended = await run.ended;
    assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}`);
    assert.match(ended.stdout + ended.stderr, /the clock was set forward by 1d/);
    const events = await bench.eventsOf("r");
    const jumps = events.flatMap(({ type, data }) => (type === "ClockJumped" ? [data] : []));
    assert.deepEqual(
      jumps.map(({ byMs, cause }) => [Math.round(byMs / SLACK_MS) * SLACK_MS, cause]),
      [
        [DAY_MS, "set"],
        [-DAY_MS, "set"],
      ],
    );
    assert.deepEqual(
      events.filter(({ type }) => type === "AttemptEnding" || type === "RemedyTaken").map(({ type }) => type),
      [],
    );
    const status = await bench.json<{ clock: { text: string } }>(["status", "r"]);
    assert.match(status.clock.text, /^the clock was set back by 1d: /);
  },
);
