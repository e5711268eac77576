// The modules of ARCHITECTURE.md, as rules. A row says what a module may import besides itself; nothing else passes.
// `node: true` admits Node's own modules; `packages` admits packages of the registry. A row for a folder inside a
// module (a store, a driver) adds its own packages to what its module may import.

const ports = {
  journal: "^src/journal/journal\\.ts$",
  agents: "^src/agents/agent-driver\\.ts$",
  workspace: "^src/workspace/(workspace|guard|artifacts)\\.ts$",
  quality: "^src/quality/quality\\.ts$",
  notify: "^src/notify/notifier\\.ts$",
};
const requestsFace = "^src/runtime/requests\\.ts$";
const leasesFace = "^src/runtime/leases\\.ts$";
const loadFace = "^src/runtime/load-run\\.ts$";
const apiClient = "^src/api/client(\\.ts$|/)";
/** Pure, and shared so that a fake vendor refuses exactly what a repaired history must not hold. */
const messageChecker = "^src/loop/repair/check-messages\\.ts$";
const modelServer = "^src/chaos/model-server\\.ts$";
const storeOpening = "^src/(open-store|real-world)\\.ts$";
const compositionRoot = "^src/(main|open-reader)\\.ts$";
const module = (name) => `^src/${name}/`;
/** The one way to read what others may have written: for every module that has files. */
const files = module("files");

const modules = [
  { name: "model", packages: ["zod"] },
  { name: "fold", imports: [module("model")] },
  { name: "decide", imports: [module("model"), module("fold")] },
  { name: "views", imports: [module("model"), module("fold"), module("decide")] },
  { name: "files", imports: [module("model")], node: true },
  { name: "journal", imports: [module("model"), files], node: true },
  { name: "agents", imports: [module("model"), files], node: true },
  { name: "workspace", imports: [module("model"), files], node: true },
  { name: "quality", imports: [module("model"), files], node: true },
  { name: "notify", imports: [module("model"), files], node: true },
  { name: "runtime", imports: [module("model"), module("fold"), module("decide"), ...Object.values(ports)] },
  // node: only for async_hooks, which tells from which scope of a body a call comes.
  {
    name: "loop",
    imports: [
      module("model"),
      module("fold"),
      module("decide"),
      ports.journal,
      requestsFace,
      leasesFace,
      loadFace,
    ],
    node: true,
  },
  {
    name: "adapters",
    imports: [module("model"), "^src/loop/workflow-function\\.ts$", ports.journal, leasesFace, storeOpening],
    node: true,
  },
  { name: "fleet", imports: [module("model"), ports.journal], packages: ["pg-boss"] },
  {
    name: "api",
    imports: [module("model"), module("views"), files, ports.journal, requestsFace],
    packages: ["zod", "ws", "@types/ws"],
    node: true,
  },
  { name: "chaos", imports: [module("model"), messageChecker], node: true },
  {
    name: "cli",
    imports: [module("model"), module("views"), files, apiClient, compositionRoot, modelServer],
    packages: ["commander", "js-yaml"],
    node: true,
  },
];

/** Folders inside a module that bring a package of their own, such as a store's driver: { name: "journal/postgres", packages: ["pg"] }. */
const guests = [
  { name: "adapters/langgraph", packages: ["@langchain/core", "@langchain/langgraph-checkpoint"] },
  { name: "agents/demo", packages: ["zod"] },
  { name: "agents/acp", packages: ["zod"] },
  { name: "journal/postgres", packages: ["pg"] },
];

/** Packages of whoever uses an adapter: optional peers, which this checkout does not install. */
const peers = ["^@langchain/(core|langgraph-checkpoint)(/|$)"];

function moduleRule({ name, imports = [], packages = [], node = false }) {
  const inside = guests.filter((guest) => guest.name.startsWith(`${name}/`));
  return {
    name: `module-${name}`,
    comment: `src/${name} may import only what its row in ARCHITECTURE.md says`,
    severity: "error",
    from: { path: module(name), pathNot: inside.map((guest) => module(guest.name)) },
    to: forbiddenTo([module(name), ...imports], packages, node),
  };
}

function guestRule(guest) {
  const host = modules.find((row) => guest.name.startsWith(`${row.name}/`));
  return {
    ...moduleRule({ ...host, packages: [...(host.packages ?? []), ...guest.packages] }),
    name: `module-${guest.name.replace("/", "-")}`,
    from: { path: module(guest.name) },
  };
}

function forbiddenTo(paths, packages, node) {
  const fromRegistry = packages.map((name) => `(^|/)node_modules/${name}/`);
  const notInstalled = packages.map((name) => `^${name}(/|$)`);
  return {
    pathNot: [...paths, ...fromRegistry, ...notInstalled],
    ...(node ? { dependencyTypesNot: ["core"] } : {}),
  };
}

/** The folders inside `name` do not know each other; the files beside them are shared, and know none of the folders. */
function strangers(name, shared = []) {
  return [
    {
      name: `strangers-${name}`,
      comment: `the folders of src/${name} are strangers to each other`,
      severity: "error",
      from: { path: `^src/${name}/([^/]+)/` },
      to: { path: `^src/${name}/[^/]+/`, pathNot: [`^src/${name}/$1/`, ...shared] },
    },
    {
      name: `shared-${name}`,
      comment: `the shared files of src/${name} import none of its folders`,
      severity: "error",
      from: { path: `^src/${name}/[^/]+\\.ts$` },
      to: { path: `^src/${name}/[^/]+/` },
    },
  ];
}

const forbidden = [
  ...modules.map(moduleRule),
  ...guests.map(guestRule),
  ...strangers("journal"),
  ...strangers("agents", [module("agents/keeper"), module("agents/headless"), module("agents/meters")]),
  ...strangers("adapters"),
  {
    name: "main-for-cli-and-entry-only",
    comment: "src/main.ts composes the modules; only the command line and the package entry may ask it to",
    severity: "error",
    from: { path: "^src/", pathNot: [module("cli"), "^src/(index|main)\\.ts$"] },
    to: { path: compositionRoot },
  },
  {
    name: "main-loaded-lazily",
    comment: "the command line loads src/main.ts with import(), so that --help stays quick",
    severity: "error",
    from: { path: module("cli") },
    to: { path: compositionRoot, dynamic: false, dependencyTypesNot: ["type-only"] },
  },
  {
    name: "chaos-loaded-lazily",
    comment: "what makes things go wrong is loaded only by whoever asked for it",
    severity: "error",
    from: { path: "^src/", pathNot: [module("chaos")] },
    to: { path: module("chaos"), dynamic: false, dependencyTypesNot: ["type-only"] },
  },
  {
    name: "entry-is-for-outsiders",
    comment: "src/index.ts is what users of the package import; inside, import the file itself",
    severity: "error",
    from: { path: "^src/" },
    to: { path: "^src/index\\.ts$" },
  },
  {
    name: "product-stands-alone",
    comment: "the product imports neither its tests nor its simulator, benchmarks, dashboard or scripts",
    severity: "error",
    from: { path: "^src/" },
    to: { path: "^(web|sim|bench|test|scripts|toolchain|dist)/" },
  },
  {
    name: "dashboard-runs-in-a-browser",
    comment:
      "web/ may import the API's contract and the pure modules: they run in a browser; of the rest it may know types",
    severity: "error",
    from: { path: "^web/" },
    to: {
      path: "^(src|sim|bench|test|scripts)/",
      pathNot: ["api/client", "api/routes", "model", "fold", "decide", "views"].map(module),
      dependencyTypesNot: ["type-only"],
    },
  },
  {
    name: "dashboard-has-no-node",
    comment: "web/ runs in a browser",
    severity: "error",
    from: { path: "^web/" },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "no-development-packages",
    comment: "a package that src/ imports belongs to the runtime dependencies",
    severity: "error",
    from: { path: "^src/" },
    to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["type-only"] },
  },
  {
    name: "no-unresolved",
    comment: "every import leads somewhere; the engines measured beside this one have packages of their own",
    severity: "error",
    from: { pathNot: "^bench/peers/engines/" },
    to: { couldNotResolve: true, pathNot: peers },
  },
  {
    name: "no-cycles",
    comment: "no file may reach itself through its imports, types included",
    severity: "error",
    from: {},
    to: { circular: true },
  },
];

export default {
  forbidden,
  options: {
    doNotFollow: { path: "(^|/)node_modules/|^dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "types", "default"],
    },
  },
};
