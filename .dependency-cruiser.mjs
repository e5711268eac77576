// The rooms of ARCHITECTURE.md, as rules. A row says what a room may import besides itself; nothing else passes.
// `node: true` admits Node's own modules; `packages` admits packages of the registry. A row for a folder inside a
// room (a store, a driver) adds its own packages to what its room may import.

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
const compositionRoot = "^src/main\\.ts$";
const room = (name) => `^src/${name}/`;
/** The one way to read what others may have written: for every room that has files. */
const files = room("files");

const rooms = [
  { name: "model", packages: ["zod"] },
  { name: "decide", imports: [room("model")] },
  { name: "views", imports: [room("model"), room("decide")] },
  { name: "files", imports: [room("model")], node: true },
  { name: "journal", imports: [room("model"), files], node: true },
  { name: "agents", imports: [room("model"), files], node: true },
  { name: "workspace", imports: [room("model"), files], node: true },
  { name: "quality", imports: [room("model"), files], node: true },
  { name: "notify", imports: [room("model"), files], node: true },
  { name: "runtime", imports: [room("model"), room("decide"), ...Object.values(ports)] },
  // node: only for async_hooks, which tells from which scope of a body a call comes.
  {
    name: "loop",
    imports: [room("model"), room("decide"), ports.journal, requestsFace, leasesFace, loadFace],
    node: true,
  },
  {
    name: "adapters",
    imports: [room("model"), "^src/loop/body\\.ts$", ports.journal, leasesFace, storeOpening],
    node: true,
  },
  { name: "fleet", imports: [room("model"), ports.journal], packages: ["pg-boss"] },
  { name: "api", imports: [room("model"), room("views"), ports.journal, requestsFace], node: true },
  { name: "chaos", imports: [room("model"), messageChecker], node: true },
  {
    name: "cli",
    imports: [room("model"), room("views"), files, apiClient, compositionRoot, modelServer],
    packages: ["commander", "js-yaml"],
    node: true,
  },
];

/** Folders inside a room that bring a package of their own, such as a store's driver: { name: "journal/postgres", packages: ["pg"] }. */
const guests = [
  { name: "adapters/langgraph", packages: ["@langchain/core", "@langchain/langgraph-checkpoint"] },
  { name: "agents/demo", packages: ["zod"] },
  { name: "agents/acp", packages: ["zod"] },
  { name: "journal/postgres", packages: ["pg"] },
];

/** Packages of whoever uses an adapter: optional peers, which this checkout does not install. */
const peers = ["^@langchain/(core|langgraph-checkpoint)(/|$)"];

function roomRule({ name, imports = [], packages = [], node = false }) {
  const inside = guests.filter((guest) => guest.name.startsWith(`${name}/`));
  return {
    name: `room-${name}`,
    comment: `src/${name} may import only what its row in ARCHITECTURE.md says`,
    severity: "error",
    from: { path: room(name), pathNot: inside.map((guest) => room(guest.name)) },
    to: forbiddenTo([room(name), ...imports], packages, node),
  };
}

function guestRule(guest) {
  const host = rooms.find((row) => guest.name.startsWith(`${row.name}/`));
  return {
    ...roomRule({ ...host, packages: [...(host.packages ?? []), ...guest.packages] }),
    name: `room-${guest.name.replace("/", "-")}`,
    from: { path: room(guest.name) },
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
  ...rooms.map(roomRule),
  ...guests.map(guestRule),
  ...strangers("journal"),
  ...strangers("agents", [room("agents/keeper"), room("agents/headless"), room("agents/meters")]),
  ...strangers("adapters"),
  {
    name: "main-for-cli-and-entry-only",
    comment: "src/main.ts composes the rooms; only the command line and the package entry may ask it to",
    severity: "error",
    from: { path: "^src/", pathNot: [room("cli"), "^src/index\\.ts$"] },
    to: { path: compositionRoot },
  },
  {
    name: "main-loaded-lazily",
    comment: "the command line loads src/main.ts with import(), so that --help stays quick",
    severity: "error",
    from: { path: room("cli") },
    to: { path: compositionRoot, dynamic: false, dependencyTypesNot: ["type-only"] },
  },
  {
    name: "chaos-loaded-lazily",
    comment: "what makes things go wrong is loaded only by whoever asked for it",
    severity: "error",
    from: { path: "^src/", pathNot: [room("chaos")] },
    to: { path: room("chaos"), dynamic: false, dependencyTypesNot: ["type-only"] },
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
    doNotFollow: { path: "(^|/)node_modules/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "types", "default"],
    },
  },
};
