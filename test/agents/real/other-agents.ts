import { existsSync } from "node:fs";
import path from "node:path";
import type { Aim, Stage } from "./agent-setup.ts";

/** Agents that Holdfast has no driver for, run as anybody would: over the protocol, or in a terminal. */
interface OtherAgent {
  readonly name: string;
  readonly version: string;
  readonly use: "acp" | "tmux";
  readonly command: readonly string[] | undefined;
  /** What else its configuration says. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly aim: (stage: Stage) => Aim;
}

/** scripts/setup.mjs --for agents installs them there. */
const MODULES = path.resolve(import.meta.dirname, "../../../.cache/other-agents/node_modules");
const DUMMY_KEY = "test";

const file = (...parts: string[]): string => path.join(MODULES, ...parts);
const ifThere = (program: string, ...words: string[]): readonly string[] | undefined =>
  existsSync(program)
    ? [...(program.endsWith(".js") ? [process.execPath] : []), program, ...words]
    : undefined;

const qwen: OtherAgent = {
  name: "qwen --acp",
  version: "0.15.10",
  use: "acp",
  command: ifThere(file("@qwen-code/qwen-code/cli.js"), "--acp", "--auth-type", "openai"),
  // It asks before it writes, and before it runs a command.
  more: { permissions: "allow" },
  aim: ({ url }) => ({
    env: {
      OPENAI_API_KEY: DUMMY_KEY,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: "scripted-model",
      // It asks a proxy also for what NO_PROXY excepts.
      HTTP_PROXY: "",
      HTTPS_PROXY: "",
    },
    files: {
      ".qwen/settings.json": JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    },
  }),
};

const goose: OtherAgent = {
  name: "goose acp",
  version: "1.52.0",
  use: "acp",
  command: ifThere(file("@aaif/goose-binary-linux-x64/bin/goose"), "acp", "--with-builtin", "developer"),
  aim: ({ url }) => ({
    env: {
      GOOSE_PROVIDER: "openai",
      GOOSE_MODEL: "scripted-model",
      OPENAI_API_KEY: DUMMY_KEY,
      // It adds `/v1/chat/completions` itself.
      OPENAI_HOST: url,
      GOOSE_MODE: "auto",
      // A keyring would be asked for by a dialog.
      GOOSE_DISABLE_KEYRING: "1",
      GOOSE_TELEMETRY_ENABLED: "false",
    },
    files: {},
  }),
};

const kilo: OtherAgent = {
  name: "kilo acp",
  version: "7.7.7",
  use: "acp",
  command: ifThere(file("@kilocode/cli-linux-x64/bin/kilo"), "acp"),
  aim: ({ url }) => ({
    env: {
      KILO_DISABLE_AUTOUPDATE: "1",
      KILO_DISABLE_MODELS_FETCH: "1",
      KILO_DISABLE_LSP_DOWNLOAD: "1",
    },
    files: {
      ".config/kilo/opencode.json": JSON.stringify({
        model: "scripted/scripted-model",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            name: "scripted",
            options: { baseURL: `${url}/v1`, apiKey: DUMMY_KEY },
            models: { "scripted-model": { name: "scripted", limit: { context: 128_000, output: 8_000 } } },
          },
        },
        permission: { edit: "allow", bash: "allow" },
        autoupdate: false,
        share: "disabled",
        // A snapshot that takes it more than ten seconds makes it ask a person, which the protocol does not carry: it
        // waits for ever.
        snapshot: false,
      }),
    },
  }),
};

const pi: OtherAgent = {
  name: "pi",
  version: "0.73.1",
  // It speaks a protocol of its own, and no other.
  use: "tmux",
  command: ifThere(
    file("@mariozechner/pi-coding-agent/dist/cli.js"),
    ...["--provider", "scripted", "--model", "scripted-model"],
  ),
  // The foot of its screen, which stands still only while it waits; "?/128k" once its history was refused.
  more: { prompt: "[0-9.?]+%?/[0-9]+k" },
  aim: ({ url }) => ({
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0" },
    files: {
      ".pi/agent/models.json": JSON.stringify({
        providers: {
          scripted: {
            baseUrl: `${url}/v1`,
            api: "openai-completions",
            apiKey: DUMMY_KEY,
            models: [{ id: "scripted-model" }],
          },
        },
      }),
    },
  }),
};

export const OTHER_AGENTS: readonly OtherAgent[] = [qwen, goose, kilo, pi];
