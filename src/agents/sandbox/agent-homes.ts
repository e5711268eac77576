import path from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** A folder in which an agent keeps its conversations, and what of it an agent in a sandbox may change. */
export interface AgentHome {
  readonly folder: string;
  /** Folders inside that hold conversations and nothing that is executed; "." is all of it. */
  readonly writes: readonly string[];
  /** Files inside that are written in place. */
  readonly files: readonly string[];
  /** Files inside that it gets a copy of, and whose renewal is brought back. */
  readonly logins: readonly string[];
  /** Files that it gets a copy of: what it changes there is gone afterwards. */
  readonly copies: readonly string[];
}

/**
 * What an agent may change must not have anything run later outside of its sandbox. Settings, hooks, plugins, servers of
 * tools and downloaded programs are therefore shown read-only, and only conversations are kept.
 */
const CLAUDE = ({ HOME = "", CLAUDE_CONFIG_DIR: own }: Environment): readonly AgentHome[] => [
  {
    folder: own ?? path.join(HOME, ".claude"),
    writes: ["projects", "todos", "tasks", "plans", "file-history"],
    files: [],
    logins: [".credentials.json"],
    copies: own === undefined ? [] : [".claude.json"],
  },
  ...(own === undefined
    ? [{ folder: HOME, writes: [], files: [], logins: [], copies: [".claude.json"] }]
    : []),
];

const CODEX = ({ HOME = "", CODEX_HOME: own }: Environment): readonly AgentHome[] => [
  {
    folder: own ?? path.join(HOME, ".codex"),
    writes: ["sessions", "archived_sessions"],
    files: ["history.jsonl"],
    logins: ["auth.json"],
    copies: [],
  },
];

const GEMINI = ({ HOME = "", GEMINI_CLI_HOME: own }: Environment): readonly AgentHome[] => [
  {
    folder: path.join(own ?? HOME, ".gemini"),
    writes: ["tmp", "history"],
    files: [],
    logins: ["oauth_creds.json", "google_accounts.json"],
    copies: [],
  },
];

const OPENCODE = (env: Environment): readonly AgentHome[] => {
  const { HOME = "" } = env;
  const at = (variable: string, fallback: string): string =>
    path.join(env[variable] ?? path.join(HOME, fallback), "opencode");
  const shown = { writes: [], files: [], logins: [], copies: [] };
  return [
    { ...shown, folder: at("XDG_DATA_HOME", ".local/share"), writes: ["."] },
    { ...shown, folder: path.join(at("XDG_DATA_HOME", ".local/share"), "bin") },
    { ...shown, folder: at("XDG_CONFIG_HOME", ".config") },
    { ...shown, folder: at("XDG_CACHE_HOME", ".cache") },
    { ...shown, folder: at("XDG_STATE_HOME", ".local/state") },
  ];
};

const HOMES: Readonly<Record<string, (env: Environment) => readonly AgentHome[]>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
};

/** Of the agents that a driver or the words of a command name. */
export const agentHomes = (words: readonly string[], env: Environment): readonly AgentHome[] =>
  Object.entries(HOMES).flatMap(([name, homes]) =>
    words.slice(0, WORDS_LOOKED_AT).some((word) => path.basename(word).includes(name)) ? homes(env) : [],
  );

/** The driver, the program, and for what an interpreter or a package runner starts its first arguments. */
const WORDS_LOOKED_AT = 4;

/** Where the home of an agent lies that it sees, of all that it has. */
export const homeFolder = (session: string, at: number): string =>
  path.join(session, "homes", `agent-${String(at)}`);
