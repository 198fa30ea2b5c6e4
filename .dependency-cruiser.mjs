/**
 * The layer rules of this repository, held by `npm run layers` (scripts/check-layers.ts).
 * Reading order: doors (lambdas, local, cli, bin) -> core <- adapters; lib deploys and never runs.
 * Each rule has a tree that breaks it in test/architecture/fixtures/layers/<rule>.
 * @type {import('dependency-cruiser').IConfiguration}
 */

/**
 * An `import type` vanishes at run time: a room may borrow another's type without depending on its
 * code.
 */
const atRunTime = { dependencyTypesNot: ['type-only'] }

/** What every noun may use: the error vocabulary, bytes-to-typed-value, how a collection in memory stays small, and what can be set, issuers among it. */
const FOUNDATION = 'json/|cache/|settings/|issuers/|errors[.]ts$|remedies/remedy[.]ts$'

/**
 * The rooms of core/flow from the bottom up, each with the rooms that it may import, types
 * included. None imports upward, and the rooms of one floor do not import each other.
 */
const FLOW_ROOMS = {
  // Floor 1.
  migration: [],
  usage: [],
  audit: [],
  events: [],
  // Floor 2.
  access: ['migration'],
  users: ['events', 'usage'],
  // Floor 3.
  execute: ['access', 'events', 'migration', 'users'],
  tools: ['access', 'migration', 'users'],
  // Floor 4: what agents read beside tools, and what users see and change of their accounts.
  resources: ['access', 'tools'],
  account: ['access', 'execute', 'tools', 'usage', 'users'],
  // Floor 5: the two transports, and the tool list that administrators fill.
  registry: ['events', 'tools', 'users'],
  sse: ['access', 'resources', 'tools'],
  'streamable-http': ['access', 'resources', 'tools'],
  catalog: ['tools', 'usage'],
  login: ['access', 'tools', 'users'],
  // Floor 6: many skills at once, what a call would do, and jobs that go on without a process.
  imports: ['registry', 'tools'],
  'dry-run': ['access', 'execute', 'registry', 'users'],
  jobs: ['execute', 'streamable-http', 'tools'],
  // Floor 6: MCP servers whose tools are skills.
  upstreams: ['dry-run', 'execute', 'imports', 'registry', 'users'],
}

/** The rooms of adapters/dynamodb likewise. */
const DYNAMODB_ROOMS = {
  // Floor 1: requests and the types of attributes.
  client: [],
  items: ['client'],
  // Floor 2: stored items.
  records: ['client'],
  // Floor 3.
  migration: ['client', 'records'],
  // Floor 4: the ports.
  audit: ['client', 'records'],
  ledger: ['client', 'records'],
  registry: ['client', 'records'],
  sessions: ['client', 'records'],
  usage: ['client', 'records'],
  users: ['client', 'migration', 'records'],
  // Floor 5.
  'reply-stream': ['client', 'records', 'sessions'],
  'item-store': ['client', 'items', 'usage'],
}

/**
 * Files beside the rooms of adapters/dynamodb that every room may import: key names, and the type
 * of a permission.
 */
const DYNAMODB_LOOSE = '(table|permission)[.]ts$'

/** A rule for each room: itself, the rooms it is given, and the `loose` files of their folder. */
function roomRules(folder, rooms, loose) {
  return Object.entries(rooms).map(([room, below]) => ({
    name: `${folder.split('/').at(-1)}-${room}`,
    severity: 'error',
    comment: `${folder}/${room} may import ${below.join(', ') || 'no other room'} of ${folder}.`,
    from: { path: `^${folder}/${room}/` },
    to: {
      path: `^${folder}/`,
      pathNot: [
        `^${folder}/(${[room, ...below].join('|')})/`,
        ...loose.map((file) => `^${folder}/${file}`),
      ],
    },
  }))
}

export default {
  forbidden: [
    {
      name: 'core-is-pure',
      severity: 'error',
      comment:
        'core/ imports only core/: no npm, no node:, no adapters. Effects come in through core/ports/.',
      from: { path: '^core/' },
      to: { pathNot: '^core/' },
    },
    {
      name: 'a-noun-knows-nobody',
      severity: 'error',
      comment:
        "Only core/flow composes nouns. Borrow another room's type if you must, never its functions.",
      from: { path: '^core/(?!flow/|mcp/|json/|cache/|settings/|request/|response/)([^/]+)/' },
      to: { path: '^core/', pathNot: `^core/($1/|${FOUNDATION})`, ...atRunTime },
    },
    {
      name: 'a-request-and-a-response-are-of-a-call',
      severity: 'error',
      comment: 'core/request and core/response know the limits of a call, and not each other.',
      from: { path: '^core/(request|response)/' },
      to: { path: '^core/', pathNot: `^core/($1/|call/|${FOUNDATION})`, ...atRunTime },
    },
    {
      name: 'mcp-speaks-jsonrpc-and-skills',
      severity: 'error',
      comment:
        'core/mcp turns a JSON-RPC message into an intent; it does not touch sessions, money or limits.',
      from: { path: '^core/mcp/' },
      to: { path: '^core/', pathNot: `^core/(mcp/|jsonrpc/|skills/|${FOUNDATION})`, ...atRunTime },
    },
    {
      name: 'foundations-know-nobody',
      severity: 'error',
      comment:
        'core/errors.ts, remedies/remedy.ts, settings.ts, settings/, json/ and cache/ stand below every noun, so they see none of them.',
      from: { path: '^core/(json/|cache/|settings/|[^/]+[.]ts$)' },
      to: { path: '^core/', pathNot: `^core/(${FOUNDATION})` },
    },
    ...roomRules('core/flow', FLOW_ROOMS, []),
    {
      name: 'ports-are-types',
      severity: 'error',
      comment: 'core/ports lists shapes; it must vanish at compile time.',
      from: { path: '^core/ports/' },
      to: { ...atRunTime },
    },
    {
      name: 'adapters-face-inward',
      severity: 'error',
      comment:
        'An adapter implements ports over one outside thing; it knows neither its caller nor its siblings, but what it was configured with and how AWS is asked.',
      from: { path: '^adapters/([^/]+)/' },
      to: {
        path: '^(adapters|lambdas|local|cli|lib|bin)/',
        pathNot: '^adapters/($1|aws|config)/',
      },
    },
    ...roomRules('adapters/dynamodb', DYNAMODB_ROOMS, [DYNAMODB_LOOSE]),
    {
      name: 'adapters-hold-no-decisions',
      severity: 'error',
      comment: 'Use-cases live in core/flow; an adapter that calls one has become a door.',
      from: { path: '^adapters/' },
      to: { path: '^core/flow/', ...atRunTime },
    },
    {
      name: 'items-are-for-the-twin-and-tests',
      severity: 'error',
      comment:
        'A deployed function has no disk that lasts: the engine of items is for the laptop, scripts, tests and benches.',
      from: {
        pathNot:
          '^(local|cli/clone|scripts|test|bench)/|^adapters/dynamodb/(items/|item-store/|local-store[.])',
      },
      to: { path: '^adapters/dynamodb/(items/|item-store/|local-store[.])' },
    },
    {
      name: 'nobody-imports-a-door',
      severity: 'error',
      comment:
        'bin/, lambdas/, local/ and cli/ are run, never imported; local/ hosts the handlers (and tests may).',
      from: { path: '^(core|adapters|lib|bin|cli)/', pathNot: '^cli/clone/' },
      to: { path: '^(lambdas|local|cli|bin)/', pathNot: '^$1/' },
    },
    {
      name: 'a-clone-opens-a-twins-folder',
      severity: 'error',
      comment:
        'cli/clone/migrate opens the store of a stopped twin; cli/clone/ starts no door and no twin.',
      from: { path: '^cli/clone/' },
      to: { path: '^(lambdas|local|bin)/', pathNot: '^local/(settings/|store/|start-fault[.]ts$)' },
    },
    {
      name: 'a-clone-is-loaded-by-its-commands',
      severity: 'error',
      comment:
        'The published package has no cli/clone/: a command looks for a clone, and loads it by import() (docs/design/command-line.md#commands-of-a-clone).',
      from: { path: '^cli/(?!clone/)' },
      to: { path: '^cli/clone/', dynamic: false, ...atRunTime },
    },
    {
      name: 'a-door-stands-alone',
      severity: 'error',
      comment:
        'Shared code belongs in core/ or adapters/, not in a sibling door. lambdas/call/ makes calls for every door (ADR 0062), lambdas/edge/ guards every door (ADR 0133), and both know none.',
      from: { path: '^lambdas/([^/]+)/' },
      to: {
        path: '^(lambdas|local|cli|bin)/',
        pathNot: '^lambdas/($1/|call/|edge/|start-function[.]ts$)',
      },
    },
    {
      name: 'the-start-knows-no-door',
      severity: 'error',
      comment:
        'lambdas/start-function.ts is in every bundle: a door that it imports would be in all of them.',
      from: { path: '^lambdas/[^/]+[.]ts$' },
      to: { path: '^(lambdas/[^/]+|local|cli|bin)/' },
    },
    {
      name: 'only-a-handler-starts',
      severity: 'error',
      comment:
        'The start reads the environment of a deployed function; a door.ts takes ports, so that the twin and tests can host it.',
      from: { pathNot: '^(lambdas/[^/]+/handler[.]ts$|test/)' },
      to: { path: '^lambdas/[^/]+[.]ts$' },
    },
    {
      name: 'deploy-and-run-stay-apart',
      severity: 'error',
      comment:
        'lib/ may read table, metric and env NAMES, the settings, the file of stages and what adapters may do from the run-time side, nothing else; viewer-code.ts writes what doors answer.',
      from: { path: '^lib/', pathNot: '^lib/edge/viewer-code[.]ts$' },
      to: {
        path: '^(core|adapters|lambdas|local|cli)/',
        pathNot:
          '^(adapters/([^/]+/(table|names|permissions)[.]ts$|stages/)|core/settings([.]ts$|/)|core/issuers/)',
      },
    },
    {
      name: 'no-cdk-at-run-time',
      severity: 'error',
      comment: 'aws-cdk-lib in a bundle costs cold-start time and leaks deploy concerns.',
      from: { path: '^(core|adapters|lambdas|local|cli)/', pathNot: '^cli/clone/' },
      to: {
        path: '(^|/)(aws-cdk-lib|constructs)(/|$)|^lib/',
        pathNot: '^lib/bundle/console[.]ts$',
      },
    },
    {
      name: 'the-console-is-a-page',
      severity: 'error',
      comment:
        'console/ runs in a browser: it asks the APIs, and shares pure code of core/ with them.',
      from: { path: '^console/' },
      to: { pathNot: '^(console|core)/|(^|/)node_modules/(preact|@preact/signals)/' },
    },
    {
      name: 'nobody-imports-a-page',
      severity: 'error',
      comment:
        'console/ is built to files, which the admin door serves; its code runs nowhere else.',
      from: { pathNot: '^(console|test)/' },
      to: { path: '^console/' },
    },
    {
      name: 'a-clone-runs-the-cdk-as-a-program',
      severity: 'error',
      comment:
        'cli/clone/ reads the stages of lib/, their names and what they cost, and no construct: the CDK takes a second to load.',
      from: { path: '^cli/clone/' },
      to: {
        path: '(^|/)(aws-cdk-lib|constructs|aws-cdk)(/|$)|^lib/',
        pathNot:
          '^lib/(cost/|alarm-address[.]ts$|doors[.]ts$|edge/edge-origin[.]ts$|pipeline-roles[.]ts$|reservations[.]ts$|stack-names[.]ts$|stages?[.]ts$|stage-(file|warnings)[.]ts$)',
      },
    },
    {
      name: 'names-are-plain-data',
      severity: 'error',
      comment: 'table.ts and names.ts are shared with lib/, so they import nothing.',
      from: { path: '^adapters/[^/]+/(table|names)[.]ts$' },
      to: {},
    },
    {
      name: 'the-workshop-stays-home',
      severity: 'error',
      comment: 'test/, bench/ and scripts/ look at the product; the product never looks at them.',
      from: { path: '^(core|adapters|lambdas|local|cli|lib|bin)/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'benches-import-no-script',
      severity: 'error',
      comment:
        'scripts/ may measure with bench/lib; a bench that imports a script goes in a circle.',
      from: { path: '^bench/' },
      to: { path: '^scripts/' },
    },
    {
      name: 'examples-stand-alone',
      severity: 'error',
      comment:
        'A reader copies an example into another repository, which has npm packages alone; a clone is one, with the construct as skillgate/cdk.',
      from: { path: '^examples/' },
      to: {
        pathNot: '^examples/|(^|/)node_modules/|^lib/skillgate[.]ts$',
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'a-terminal-knows-no-command',
      severity: 'error',
      comment: 'cli/terminal prints and asks; cli/command decides what.',
      from: { path: '^cli/terminal/' },
      to: { path: '^cli/(command|commands)/' },
    },
    {
      name: 'no-dev-dependency-at-run-time',
      severity: 'error',
      comment:
        'What ships or is started must be a dependency (or an optional one), not a dev tool. A clone has both.',
      from: { path: '^(core|adapters|lambdas|local|cli)/', pathNot: '^cli/clone/' },
      to: { dependencyTypes: ['npm-dev'], ...atRunTime },
    },
    {
      name: 'imports-resolve',
      severity: 'error',
      comment: 'A path that leads nowhere is a path that no rule above was able to judge.',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment:
        'A cycle, of types alone too, means two files are one: merge them, or move what they share down.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment:
        'Nobody reaches this file. Delete it, or wire it. The viewer function is read as a text.',
      from: {
        orphan: true,
        path: '^(core|adapters|lib)/',
        pathNot: '^lib/edge/viewer-request[.]js$',
      },
      to: {},
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/architecture/fixtures/' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types', 'require'],
    },
  },
}
