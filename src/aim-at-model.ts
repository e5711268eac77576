import path from "node:path";

/** What lets agents ask a model on loopback instead of their provider, without anything of the person's own. */
export interface Aim {
  readonly env: Readonly<Record<string, string>>;
  /** Settings by path within a home folder. */
  readonly files: Readonly<Record<string, string>>;
}

const KEY = "holdfast-trial";
const MODEL = "scripted-model";

/** For every agent that is known to be aimed so; programs ignore what is not theirs. */
export const aimAtModel = (url: string, places: { readonly home: string; readonly repo: string }): Aim => ({
  env: variables(url, places.home),
  files: settings(url, places.repo),
});

const variables = (url: string, home: string): Readonly<Record<string, string>> => ({
  HOME: home,
  XDG_CONFIG_HOME: path.join(home, ".config"),
  XDG_DATA_HOME: path.join(home, ".local/share"),
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: KEY,
  CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_API_BASE: `${url}/v1`,
  OPENAI_HOST: url,
  OPENAI_API_KEY: KEY,
  OPENAI_MODEL: MODEL,
  CODEX_HOME: path.join(home, ".codex"),
  GOOGLE_GEMINI_BASE_URL: url,
  GEMINI_API_KEY: KEY,
  GEMINI_CLI_TRUST_WORKSPACE: "true",
  GOOSE_PROVIDER: "openai",
  GOOSE_MODEL: MODEL,
  GOOSE_DISABLE_KEYRING: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  KILO_DISABLE_AUTOUPDATE: "1",
  KILO_DISABLE_MODELS_FETCH: "1",
  NO_PROXY: "127.0.0.1,localhost",
});

function settings(url: string, repo: string): Readonly<Record<string, string>> {
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "scripted",
    options: { baseURL: `${url}/v1`, apiKey: KEY },
    models: { [MODEL]: { name: "scripted", limit: { context: 128_000, output: 8_000 } } },
  };
  const opencode = JSON.stringify({
    model: `scripted/${MODEL}`,
    provider: { scripted: provider },
    autoupdate: false,
    share: "disabled",
    // Kilo Code asks a person when its snapshot takes long, and the protocol does not carry the question.
    snapshot: false,
  });
  return {
    ".claude/.claude.json": claudeSettings(repo),
    ".codex/config.toml": codexSettings(url, repo),
    ".gemini/settings.json": keySettings("gemini-api-key"),
    ".qwen/settings.json": keySettings("openai"),
    ".config/opencode/opencode.json": opencode,
    ".config/kilo/opencode.json": opencode,
  };
}

/** The questions of its first start are answered: its theme, its key, and trust in the folder. */
const claudeSettings = (repo: string): string =>
  JSON.stringify({
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [KEY], rejected: [] },
    projects: { [repo]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  });

const keySettings = (selectedType: string): string =>
  JSON.stringify({
    security: { auth: { selectedType } },
    general: { enableAutoUpdate: false, disableAutoUpdate: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  });

const codexSettings = (url: string, repo: string): string =>
  [
    `model = "gpt-5.5"`,
    `model_provider = "scripted"`,
    `check_for_update_on_startup = false`,
    `[model_providers.scripted]`,
    `name = "scripted"`,
    `base_url = ${JSON.stringify(`${url}/v1`)}`,
    `env_key = "OPENAI_API_KEY"`,
    `wire_api = "responses"`,
    `[projects.${JSON.stringify(repo)}]`,
    `trust_level = "trusted"`,
    "",
  ].join("\n");
