import { existsSync } from "node:fs";
import path from "node:path";

/**
 * How each real agent is started without a screen and aimed at a model on loopback. Every agent gets a home folder of
 * its own: it reads no settings of the person who runs the tests, and leaves nothing behind in their home.
 */

/** Where one agent works in one test. */
export interface Stage {
  /** Of the model, without a path. */
  readonly url: string;
  readonly home: string;
  readonly repo: string;
}

export interface Aim {
  readonly env: Readonly<Record<string, string>>;
  /** Settings it reads, by path within its home. */
  readonly files: Readonly<Record<string, string>>;
}

export interface RealAgent {
  readonly name: string;
  readonly version: string;
  /** The program and what comes before any option; undefined where it is not published for this machine. */
  readonly program: readonly string[] | undefined;
  /** One goal, events as JSON Lines on stdout, no questions. */
  readonly oneShot: (prompt: string) => readonly string[];
  /** The same conversation again, with one more prompt. */
  readonly resume: (session: string, prompt: string) => readonly string[];
  readonly aim: (stage: Stage) => Aim;
}

/** scripts/setup.mjs installs them there. */
const MODULES = path.resolve(import.meta.dirname, "../../../.cache/agents/node_modules");
const PLATFORM = `${process.platform}-${process.arch}`;
const DUMMY_KEY = "test";

const file = (...parts: string[]): string => path.join(MODULES, ...parts);
const ifThere = (...command: string[]): readonly string[] | undefined =>
  existsSync(command.at(-1) ?? "") ? command : undefined;

export const claude: RealAgent = {
  name: "claude",
  version: "2.1.197",
  program: ifThere(file(`@anthropic-ai/claude-code-${PLATFORM}`, "claude")),
  oneShot: (prompt) => [
    ...["-p", prompt],
    // `stream-json` is refused without `--verbose`.
    ...["--output-format", "stream-json", "--verbose"],
    // Nobody is there to be asked: edits pass, and of the tools that still ask, the shell.
    ...["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
  ],
  resume: (session, prompt) => [...claude.oneShot(prompt), "--resume", session],
  aim: ({ url }) => ({
    env: {
      // It adds `/v1/messages` itself.
      ANTHROPIC_BASE_URL: url,
      // Taken before any login; without one it asks for it.
      ANTHROPIC_API_KEY: DUMMY_KEY,
      // No telemetry, no news, no check of features: each would wait for a network that is not there.
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Otherwise it looks for a newer version of itself and may replace the pinned one.
      DISABLE_AUTOUPDATER: "1",
    },
    files: {},
  }),
};

export const codex: RealAgent = {
  name: "codex",
  version: "0.166.0",
  program: ifThere(process.execPath, file("@openai/codex/bin/codex.js")),
  // The sandbox needs rights that a container rarely has, and approvals somebody to give them.
  oneShot: (prompt) => ["exec", "--json", "--dangerously-bypass-approvals-and-sandbox", prompt],
  resume: (session, prompt) => [
    ...["exec", "--json", "--dangerously-bypass-approvals-and-sandbox"],
    ...["resume", session, prompt],
  ],
  aim: ({ url, home, repo }) => ({
    // `env_key` below names this variable; the key itself never stands in a file.
    env: { FAKE_API_KEY: DUMMY_KEY, CODEX_HOME: path.join(home, ".codex") },
    files: {
      ".codex/config.toml": [
        `model = "gpt-5.5"`,
        `model_provider = "scripted"`,
        // It would ask the registry for a newer version.
        `check_for_update_on_startup = false`,
        `[model_providers.scripted]`,
        `name = "scripted"`,
        // It adds `/responses` itself.
        `base_url = ${JSON.stringify(`${url}/v1`)}`,
        `env_key = "FAKE_API_KEY"`,
        `wire_api = "responses"`,
        // An untrusted folder is asked about.
        `[projects.${JSON.stringify(repo)}]`,
        `trust_level = "trusted"`,
        "",
      ].join("\n"),
    },
  }),
};

export const opencode: RealAgent = {
  name: "opencode",
  version: "1.18.33",
  // The baseline build runs on processors without newer instructions too.
  program: ifThere(file(`opencode-${PLATFORM}-baseline`, "bin/opencode")),
  oneShot: (prompt) => ["run", "--format", "json", prompt],
  resume: (session, prompt) => ["run", "--format", "json", "--session", session, prompt],
  aim: ({ url }) => ({
    env: {
      // Otherwise it replaces itself by a newer version.
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      // Otherwise it fetches a list of all models of all providers before it begins.
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      // Otherwise it fetches language servers for the files it edits.
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
    files: {
      ".config/opencode/opencode.json": JSON.stringify({
        model: "scripted/scripted-model",
        provider: {
          scripted: {
            // Built in: nothing is installed for it.
            npm: "@ai-sdk/openai-compatible",
            name: "scripted",
            // It adds `/chat/completions` itself.
            options: { baseURL: `${url}/v1`, apiKey: DUMMY_KEY },
            models: { "scripted-model": { name: "scripted", limit: { context: 128_000, output: 8_000 } } },
          },
        },
        permission: { edit: "allow", bash: "allow" },
        autoupdate: false,
        share: "disabled",
      }),
    },
  }),
};

export const gemini: RealAgent = {
  name: "gemini",
  version: "0.61.0",
  program: ifThere(process.execPath, file("@google/gemini-cli/bundle/gemini.js")),
  oneShot: (prompt) => [
    ...["-p", prompt, "--output-format", "stream-json", "--approval-mode", "yolo"],
    // Named, so that no second model is asked which model is best.
    ...["-m", "gemini-2.5-flash"],
  ],
  resume: (session, prompt) => [...gemini.oneShot(prompt), "--resume", session],
  aim: ({ url }) => ({
    env: {
      // It adds `/v1beta/models/…` itself.
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: DUMMY_KEY,
      // An untrusted folder is asked about, and without somebody to answer it refuses to edit there.
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
    files: {
      ".gemini/settings.json": JSON.stringify({
        // Without it the key is not used, and it asks how to log in.
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    },
  }),
};

export const ONE_SHOT_AGENTS: readonly RealAgent[] = [claude, codex, opencode, gemini];

/** Agents that speak the Agent Client Protocol on stdin and stdout; each is aimed like the agent it stands on. */
export interface AcpAgent {
  readonly name: string;
  readonly version: string;
  readonly command: readonly string[] | undefined;
  readonly aim: RealAgent["aim"];
  /** Whether every `npm test` leads it through all that an agent must live through. */
  readonly livesOn: boolean;
}

const adapter = (name: string): readonly string[] | undefined =>
  ifThere(process.execPath, file("@agentclientprotocol", name, "dist/index.js"));
const own = (agent: RealAgent, ...words: string[]): readonly string[] | undefined =>
  agent.program && [...agent.program, ...words];

export const ACP_AGENTS: readonly AcpAgent[] = [
  {
    name: "claude-agent-acp",
    version: "0.49.0",
    command: adapter("claude-agent-acp"),
    aim: claude.aim,
    livesOn: false,
  },
  { name: "codex-acp", version: "2.6.0", command: adapter("codex-acp"), aim: codex.aim, livesOn: true },
  {
    name: "opencode acp",
    version: opencode.version,
    command: own(opencode, "acp"),
    aim: opencode.aim,
    livesOn: true,
  },
  {
    name: "gemini --acp",
    version: gemini.version,
    command: own(gemini, "--acp"),
    aim: gemini.aim,
    livesOn: false,
  },
];
