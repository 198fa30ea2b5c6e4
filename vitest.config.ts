/**
 * What `npm test` runs: `unit` and `alone`, which keep the cores busy, and beside them `e2e` and `crash`, which
 * mostly wait for clocks and for processes that start and die. `npm run test:wide` runs what is in WIDE,
 * random schedules and requests, and crowds of processes, `npm run test:long` their long forms.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Workers, and the twins and scripts that tests start, keep what Node compiled, as `npm start` does:
// `local/main.ts --help` takes 0.2 s of CPU in place of 0.65.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

// Workers are stopped by signals and leave their temporary files behind: they go with this folder.
const TEMPORARY = mkdtempSync(join(tmpdir(), 'skillgate-test-'))
process.env['TMPDIR'] = TEMPORARY
process.once('exit', () => rmSync(TEMPORARY, { recursive: true, force: true }))

/** Suites that need something that `npm ci` does not bring; each has a script of its own. */
const HEAVY = ['test/lambda/**', 'test/python/**', 'test/localstack/**']

/** Long forms that stand for themselves: a million items take some minutes. */
const LONG = ['test/adapters/dynamodb/item-store/scale.test.ts']

/** Suites that kill processes. */
const CRASH = ['test/kill/**']

/** Suites that run several processes on one store, and commands that are killed. */
const PROCESSES = ['test/processes/**']

/**
 * Unit tests with a process per file, which takes 0.6 s of CPU to begin: they set the environment, put other
 * timers or SDK classes in place of the global ones, or measure memory or a process's start.
 */
const ALONE = [
  'test/adapters/config/env-credentials.test.ts',
  'test/adapters/http/collect-after.test.ts',
  'test/adapters/kms/kms-seals.test.ts',
  'test/adapters/secrets/{admin-secrets,client}.test.ts',
  'test/contracts/admin-secrets.test.ts',
  'test/core/flow/execute/run-with-deadline.test.ts',
  'test/interleavings/interleavings.test.ts',
  'test/lambdas/start-function.test.ts',
  'test/local/{main,start-twin,sweeper,twin-secrets}.test.ts',
]

/**
 * What changes rarely and takes long: the model of DynamoDB, the rules for templates, the functions under their
 * policies, the bundles' use of each other, the counts of the models of bill and load; planted faults that tests
 * must find, benches, and commands of scripts. `npm run test:wide` alone runs them.
 */
const WIDE = [
  // The store's contracts over an emulator; `npm test` runs them over the engine of items.
  'test/contracts/dynamodb.test.ts',
  'test/iam/{functions,happy-paths}.test.ts',
  'test/interleavings/model/{contract,differential}.test.ts',
  'test/lib/{door-uses,nag}.test.ts',
  'test/scripts/{cost-units,scale}.test.ts',
  // Tests of tests and of tools.
  'test/architecture/layers.test.ts',
  'test/bench/**/*.test.ts',
  'test/interleavings/planted-bugs.test.ts',
  'test/lib/kept-resources.test.ts',
]

/** Run twice: on the light client of the store, as part of `unit` or WIDE, and by `test:wide` on the SDK's. */
const ON_BOTH_CLIENTS = [
  'test/adapters/dynamodb/!(items|item-store)/**/*.test.ts',
  'test/adapters/dynamodb/*.test.ts',
  'test/contracts/dynamodb.test.ts',
]

/** Random requests and answers. */
const FUZZ = [
  'test/fuzz/*.test.ts',
  'test/adapters/formats/{json-schema,patterns}-differential.test.ts',
  'test/adapters/upstream/next-answers.test.ts',
  'test/core/mcp/classify-properties.test.ts',
  'test/lambdas/admin/generated.test.ts',
]

/** Suites that mostly wait: a hanging upstream is cut after 15 s. */
const WAITING = ['test/e2e/**/*.test.ts']

/** More than there are cores, since some of them wait. */
const WORKERS = availableParallelism() + 2
/** Of one group, so that they run beside each other; a group has one number of workers. */
const TOGETHER = { maxWorkers: WORKERS, sequence: { groupOrder: 1 } }

/** Not what this configuration runs as unit tests, whoever has which process. */
const NOT_UNIT = [
  'test/architecture/fixtures/**',
  ...WAITING,
  ...CRASH,
  ...PROCESSES,
  ...HEAVY,
  ...LONG,
  ...WIDE,
  ...FUZZ,
]

/**
 * Ends a test that hangs. It measures nothing: beside other work a test takes many times as long as on a
 * machine of its own, and one that passes never waits for this.
 */
const HANGS_MS = 300_000
/** As above, for the long forms: 200,000 schedules. */
const LONG_FORM_MS = 900_000

export default defineConfig({
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    pool: 'forks',
    // Node loads sources and tests as it loads the gateway. Vite's runner took a quarter of the CPU time.
    experimental: { viteModuleRunner: false },
    // Twins of tests, and commands that they run, must not write into the person's profiles.
    env: { XDG_CONFIG_HOME: join(TEMPORARY, 'config') },
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    // Ends a wait for what never comes, as above.
    expect: { poll: { timeout: HANGS_MS / 3 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...NOT_UNIT, ...ALONE],
          // Starting a process and loading the sources again took as long as the tests themselves.
          isolate: false,
          ...TOGETHER,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ALONE,
          exclude: NOT_UNIT,
          ...TOGETHER,
        },
      },
      {
        extends: true,
        test: { name: 'wide', include: WIDE, ...TOGETHER },
      },
      {
        extends: true,
        test: {
          name: 'sdk',
          include: ON_BOTH_CLIENTS,
          env: { STORE_CLIENT: 'sdk' },
          isolate: false,
          ...TOGETHER,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: WAITING,
          // They act on processes of their own, so they may share one: that saves 0.6 s of CPU a file.
          isolate: false,
          ...TOGETHER,
        },
      },
      {
        extends: true,
        test: {
          name: 'crash',
          include: CRASH.map((folder) => `${folder}/*.test.ts`),
          isolate: false,
          ...TOGETHER,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: PROCESSES.map((folder) => `${folder}/*.test.ts`),
          isolate: false,
          ...TOGETHER,
        },
      },
      {
        extends: true,
        test: {
          name: 'scale',
          include: LONG,
          sequence: { groupOrder: 6 },
        },
      },
      {
        extends: true,
        test: { name: 'fuzz', include: FUZZ, testTimeout: LONG_FORM_MS, ...TOGETHER },
      },
    ],
  },
})
