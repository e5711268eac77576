import type { AgentKind } from "../flow/agent-kinds.ts";

/** Without these hardly any program begins. */
export const BASIC_VARIABLES: readonly string[] = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_*", "XDG_*"],
];

const SYSTEM: readonly string[] = [
  ...["TMP", "TEMP", "HOSTNAME", "LANGUAGE", "TZDIR", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION"],
  ...["NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "LS_COLORS"],
  ...["EDITOR", "VISUAL", "PAGER", "LESS", "DEBUG", "LOG_LEVEL", "DEBIAN_FRONTEND"],
  ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"],
  ...["WSL_DISTRO_NAME", "WSL_INTEROP", "WSLENV", "HOMEBREW_*", "NIX_*", "LOCALE_ARCHIVE"],
  ...["DEVELOPER_DIR", "SDKROOT", "MACOSX_DEPLOYMENT_TARGET", "__CF_USER_TEXT_ENCODING"],
  ...["CI", "CONTINUOUS_INTEGRATION", "BUILD_NUMBER", "RUN_ID", "GITHUB_ACTIONS", "GITLAB_CI", "RUNNER_*"],
];

const NETWORK: readonly string[] = [
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy", "ftp_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "CURL_HOME"],
];

const GIT: readonly string[] = [
  ...["GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_SSL_*", "GIT_TERMINAL_PROMPT", "GIT_EDITOR", "GIT_PAGER"],
  ...["GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXEC_PATH", "GIT_TRACE*", "GIT_CEILING_DIRECTORIES"],
  ...["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_DEFAULT_BRANCH"],
];

/** Bundler keeps passwords under names of hosts (`BUNDLE_GEMS__EXAMPLE__ORG`), so its names are listed one by one. */
const TOOLCHAINS: readonly string[] = [
  ...["NODE_*", "NPM_*", "npm_*", "NVM_*", "FNM_*", "VOLTA_*", "N_PREFIX", "COREPACK_*", "YARN_*", "PNPM_*"],
  ...["BUN_*", "DENO_*", "TS_NODE_*", "UV_THREADPOOL_SIZE", "ELECTRON_*", "PLAYWRIGHT_*", "PUPPETEER_*"],
  ...["CHROME_BIN", "CYPRESS_*", "VITEST*", "JEST_*"],
  ...["PYTHON*", "PIP_*", "PIPX_*", "PIPENV_*", "VIRTUAL_ENV*", "CONDA_*", "MAMBA_*", "POETRY_*", "PDM_*"],
  ...["UV_*", "PYENV*", "TOX_*", "PYTEST_*", "MYPY*", "RUFF_*"],
  ...["CARGO", "CARGO_*", "RUST_*", "RUSTC*", "RUSTDOC*", "RUSTFLAGS", "RUSTUP_*", "SCCACHE_DIR"],
  ...["GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOPRIVATE", "GOFLAGS", "GOOS"],
  ...["GOARCH", "GOARM", "GOAMD64", "GOTOOLCHAIN", "GOMAXPROCS", "GOSUMDB", "GONOSUMDB", "GONOPROXY"],
  ...["GOINSECURE", "GOENV", "GOWORK", "GOEXPERIMENT", "GODEBUG", "GOTMPDIR", "GOGC", "GOMEMLIMIT"],
  ...["GO111MODULE", "GOVERSION", "CGO_*"],
  ...["JAVA_*", "JDK_*", "JRE_*", "_JAVA_OPTIONS", "MAVEN_*", "M2_HOME", "GRADLE_*", "ANT_*", "SBT_*"],
  ...["KOTLIN_*", "SCALA_*", "SDKMAN_*", "ANDROID_*", "ANDROID_HOME"],
  ...["GEM_*", "RUBY*", "RBENV_*", "RAILS_ENV", "RACK_ENV", "BUNDLE_PATH", "BUNDLE_GEMFILE", "BUNDLE_BIN"],
  ...[
    "BUNDLE_WITHOUT",
    "BUNDLE_WITH",
    "BUNDLE_JOBS",
    "BUNDLE_FROZEN",
    "BUNDLE_DEPLOYMENT",
    "BUNDLE_APP_CONFIG",
  ],
  ...["PHP_*", "PHPRC", "COMPOSER_HOME", "COMPOSER_CACHE_DIR", "COMPOSER_MEMORY_LIMIT", "APP_ENV"],
  ...["DOTNET_*", "NUGET_PACKAGES", "MSBUILD*", "MIX_*", "ERL_*", "HEX_HOME", "ELIXIR_*", "STACK_ROOT"],
  ...[
    "GHCUP_*",
    "CABAL_*",
    "OPAM*",
    "PUB_CACHE",
    "FLUTTER_*",
    "JULIA_*",
    "R_*",
    "LUA_*",
    "PERL5LIB",
    "PERL_*",
  ],
  ...["CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "STRIP", "CFLAGS", "CXXFLAGS", "CPPFLAGS"],
  ...["LDFLAGS", "MAKE", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CMAKE_*", "CTEST_*", "NINJA_*", "MESON_*"],
  ...["PKG_CONFIG*", "LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_*", "LIBRARY_PATH", "C_INCLUDE_PATH", "CPATH"],
  ...["CPLUS_INCLUDE_PATH", "MANPATH", "INFOPATH", "CCACHE_*", "ASAN_OPTIONS", "UBSAN_OPTIONS"],
  ...[
    "BAZEL*",
    "USE_BAZEL_VERSION",
    "CUDA_*",
    "ASDF_*",
    "MISE_*",
    "PROTO_*",
    "DOCKER_HOST",
    "DOCKER_BUILDKIT",
  ],
  ...["DOCKER_CONTEXT", "BUILDKIT_*", "COMPOSE_*", "TESTCONTAINERS_*", "TURBO_*", "NX_*"],
];

/** What agents, checks and hooks get of the supervisor's environment, whoever they are. */
export const PASSED_VARIABLES: readonly string[] = [
  ...BASIC_VARIABLES,
  ...SYSTEM,
  ...NETWORK,
  ...GIT,
  ...TOOLCHAINS,
];

/** What one vendor's agent reads of its environment: its keys, where its provider is, how it works. */
interface OwnVariables {
  readonly names: readonly string[];
  /** The keys of a cloud, only where the agent is set to reach its model by that cloud. */
  readonly clouds?: Readonly<Record<string, readonly string[]>>;
}

const AWS = ["AWS_*"];
const VERTEX = ["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_*", "GCLOUD_PROJECT", "CLOUD_ML_REGION"];

const CLAUDE: OwnVariables = {
  names: [
    ...["ANTHROPIC_*", "CLAUDE_*", "CLAUDECODE", "DISABLE_*", "ENABLE_*", "MCP_*", "API_TIMEOUT_MS"],
    ...[
      "MAX_THINKING_TOKENS",
      "MAX_MCP_OUTPUT_TOKENS",
      "BASH_DEFAULT_*",
      "BASH_MAX_*",
      "USE_BUILTIN_RIPGREP",
    ],
    ...["VERTEX_REGION_*", "IS_SANDBOX", "OTEL_*"],
  ],
  clouds: { CLAUDE_CODE_USE_BEDROCK: AWS, CLAUDE_CODE_USE_VERTEX: VERTEX },
};
const CODEX: OwnVariables = {
  names: ["OPENAI_*", "CODEX_*", "AZURE_OPENAI_*", "RUST_LOG", "OTEL_*"],
};
const GEMINI: OwnVariables = {
  names: [
    ...["GEMINI_*", "GOOGLE_API_KEY", "GOOGLE_GENAI_*", "GOOGLE_GEMINI_*", "GOOGLE_CLOUD_PROJECT"],
    ...["GOOGLE_CLOUD_LOCATION", "GOOGLE_VERTEX_BASE_URL", "CODE_ASSIST_*", "SEATBELT_PROFILE", "OTEL_*"],
  ],
  clouds: { GOOGLE_GENAI_USE_VERTEXAI: VERTEX, GOOGLE_GENAI_USE_GCA: VERTEX },
};

const MODEL_KEYS: readonly string[] = [
  ...[
    "OPENROUTER_*",
    "GROQ_*",
    "MISTRAL_*",
    "XAI_*",
    "DEEPSEEK_*",
    "TOGETHER_*",
    "FIREWORKS_*",
    "CEREBRAS_*",
  ],
  ...[
    "COHERE_*",
    "PERPLEXITY_*",
    "MOONSHOT_*",
    "ZHIPU_*",
    "ZAI_*",
    "DASHSCOPE_*",
    "MINIMAX_*",
    "NVIDIA_API_KEY",
  ],
  ...[
    "HUGGINGFACE_*",
    "HF_*",
    "OLLAMA_*",
    "LMSTUDIO_*",
    "LITELLM_*",
    "AI_GATEWAY_API_KEY",
    "VERCEL_OIDC_TOKEN",
  ],
  ...["GOOGLE_GENERATIVE_AI_*", "AZURE_RESOURCE_NAME", "AZURE_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"],
];

/** For programs that may be any agent, and for agents of any provider: what all the others read. */
const ANY: OwnVariables = {
  names: [
    ...CLAUDE.names,
    ...CODEX.names,
    ...GEMINI.names,
    ...MODEL_KEYS,
    ...["OPENCODE_*", "GOOSE_*", "AMP_*", "CURSOR_*", "COPILOT_*", "QWEN_*", "AIDER_*", "CLINE_*"],
  ],
  clouds: { ...CLAUDE.clouds, ...GEMINI.clouds },
};

export const OWN_VARIABLES: Readonly<Record<AgentKind, OwnVariables>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: ANY,
  acp: ANY,
  command: ANY,
  tmux: ANY,
  function: ANY,
  demo: { names: [] },
  manual: { names: [] },
};
