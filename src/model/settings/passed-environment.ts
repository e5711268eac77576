import { AGENTS } from "../agent/kinds/registry.ts";
import type { AgentSpec } from "../flow/flow.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { isSecretName } from "../text/redact.ts";

export const fits = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );

/** A list of ours names many variables at once; a secret among them is none that programs commonly need. */
export const isListed = (name: string): boolean =>
  fits(name, PASSED_VARIABLES) && (PASSED_VARIABLES.includes(name) || !isSecretName(name));

/**
 * Whether an agent gets a variable.
 *
 * 1. With a list under `inherit` it gets that list, what hardly any program does without, and what is passed by name.
 * 2. With `inherit: all`, its own or the host's, it gets everything.
 * 3. Otherwise what programs commonly need, and what the agent itself reads: its keys and the address of its provider.
 */
export function isForAgent(
  name: string,
  spec: Pick<AgentSpec, "use" | "inherit" | "pass">,
  {
    inherit,
    pass,
    own,
  }: EnvironmentSettings & { readonly own: Readonly<Record<string, string | undefined>> },
): boolean {
  if (fits(name, spec.pass ?? [])) return true;
  if (Array.isArray(spec.inherit)) return fits(name, [...BASIC_VARIABLES, ...spec.inherit]);
  if (spec.inherit === "all" || inherit === "all" || fits(name, pass)) return true;
  const { names, clouds = {} } = AGENTS[spec.use].variables;
  const ofClouds = Object.entries(clouds).flatMap(([chosen, keys]) => (isOn(own[chosen]) ? keys : []));
  return isListed(name) || fits(name, [...names, ...ofClouds]);
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !["", "0", "false"].includes(value.toLowerCase());

/** Without these hardly any program begins. */
const BASIC_VARIABLES: readonly string[] = [
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

/** What agents, checks and hooks get of the supervisor's environment, no matter who they are. */
const PASSED_VARIABLES: readonly string[] = [
  ...BASIC_VARIABLES,
  ...SYSTEM,
  ...NETWORK,
  ...GIT,
  ...TOOLCHAINS,
];
