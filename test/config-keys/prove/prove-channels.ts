import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Config } from "../../../src/model/settings/config.ts";
import { SECOND } from "../life.ts";
import { prove, type Tree } from "../proof.ts";
import { freshFolder, livedWith, perform } from "../real.ts";
import { RECEIVER, takeReceived } from "../receiving.ts";

const FOLDER = freshFolder();
const channel = (spec: Tree): Tree => ({ notify: { channels: { ops: spec } } });
const webhook = (more: Tree): Tree => channel({ use: "webhook", allowPrivate: true, ...more });
const COMMAND = ["/bin/sh", "-c", "cat > /dev/null"];

/** A run that needs somebody tells them by the channel, for real: what came of it, and what came in where. */
async function reported(
  config: Config,
): Promise<[outcome: string | undefined, at: string, isSigned: boolean]> {
  takeReceived();
  const life = livedWith(config, ["Notify"]);
  life.ask({ kind: "escalate", note: "look at it" });
  const [outcome] = await perform(life);
  const [received] = takeReceived();
  return [outcome?.kind, received?.url ?? "nowhere", received?.headers["webhook-signature"] !== undefined];
}

function kept(name: string, text: string): string {
  const file = path.join(FOLDER, name);
  writeFileSync(file, text);
  return file;
}

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
Object.assign(process.env, {
  KEYS_URL_ONE: `${RECEIVER}/one`,
  KEYS_URL_TWO: `${RECEIVER}/two`,
  KEYS_SECRET: SECRET,
});

const AT_ONE = ["done", "/one", false];
const AT_TWO = ["done", "/two", false];
const SIGNED = ["done", "/one", true];
const NOWHERE = ["done", "nowhere", false];
const FAILED = ["failed", "nowhere", false];

/** Where the notice of a question leads. */
async function linked(config: Config): Promise<string> {
  takeReceived();
  const life = livedWith(config, ["Notify"]);
  life.ask({ kind: "escalate", note: "look at it" });
  await perform(life);
  const { data } = JSON.parse(takeReceived()[0]?.body.toString() ?? "{}") as { data?: { link?: string } };
  return (data?.link ?? "nowhere").replace(/=.*/, "");
}

export const CHANNEL_PROOFS = [
  prove(
    "notify.dashboard",
    ["https://one.example", "https://two.example/"],
    linked,
    ["https://one.example/inbox?item", "https://two.example/inbox?item"],
    webhook({ url: `${RECEIVER}/one` }),
  ),
  prove("notify.channels.*.use", ["command", "webhook"], reported, [NOWHERE, AT_ONE], (use) =>
    channel(use === "command" ? { command: COMMAND } : { url: `${RECEIVER}/one`, allowPrivate: true }),
  ),
  prove(
    "notify.channels.*(command).command",
    [COMMAND, ["/bin/sh", "-c", "exit 3"]],
    reported,
    [NOWHERE, FAILED],
    channel({ use: "command" }),
  ),
  prove(
    "notify.channels.*(command).limitMs",
    [50, 60 * SECOND],
    reported,
    [FAILED, NOWHERE],
    channel({ use: "command", command: ["/bin/sh", "-c", "sleep 0.4; cat > /dev/null"] }),
  ),
  prove(
    "notify.channels.*(webhook).url",
    [`${RECEIVER}/one`, `${RECEIVER}/two`],
    reported,
    [AT_ONE, AT_TWO],
    webhook({}),
  ),
  prove(
    "notify.channels.*(webhook).urlEnv",
    ["KEYS_URL_ONE", "KEYS_URL_TWO"],
    reported,
    [AT_ONE, AT_TWO],
    webhook({}),
  ),
  prove(
    "notify.channels.*(webhook).urlFile",
    [kept("one", `${RECEIVER}/one`), kept("two", `${RECEIVER}/two`)],
    reported,
    [AT_ONE, AT_TWO],
    webhook({}),
  ),
  prove(
    "notify.channels.*(webhook).secretEnv",
    [undefined, "KEYS_SECRET"],
    reported,
    [AT_ONE, SIGNED],
    webhook({ url: `${RECEIVER}/one` }),
  ),
  prove(
    "notify.channels.*(webhook).secretFile",
    [undefined, kept("secret", SECRET)],
    reported,
    [AT_ONE, SIGNED],
    webhook({ url: `${RECEIVER}/one` }),
  ),
  prove(
    "notify.channels.*(webhook).allowPrivate",
    [false, true],
    reported,
    [FAILED, AT_ONE],
    webhook({ url: `${RECEIVER}/one` }),
  ),
  prove(
    "notify.channels.*(webhook).limitMs",
    [50, 60 * SECOND],
    async (config) => (await reported(config))[0],
    ["failed", "done"],
    webhook({ url: `${RECEIVER}/slow` }),
  ),
];
