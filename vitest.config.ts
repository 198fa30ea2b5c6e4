/**
 * The test projects. `npm test` runs `unit` and `alone`, which keep the cores busy, together with
 * `e2e` and `crash`, which mostly wait for clocks and processes. `npm run test:wide` runs the
 * suites of WIDE, random schedules and requests, and suites with many processes. `npm run
 * test:long` runs the long forms of these suites.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Workers, twins and scripts of tests cache the code that Node compiled, as `npm start` does. With
// the cache, `local/main.ts --help` takes 0.2 s of CPU instead of 0.65 s.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

// Signals stop the workers, so their temporary files remain. They are deleted with this folder.
const TEMPORARY = mkdtempSync(join(tmpdir(), 'skillgate-test-'))
process.env['TMPDIR'] = TEMPORARY
process.once('exit', () => rmSync(TEMPORARY, { recursive: true, force: true }))

/** Suites that need more than `npm ci` installs. Each has its own npm script. */
const HEAVY = ['test/console/**', 'test/lambda/**', 'test/python/**', 'test/localstack/**']

/**
 * Suites that exist only in a long form: a million items, a simulated load of every flow, the
 * store's contracts once more over the engine of items, there in wire form, and faults that are
 * planted for the schedules to find.
 */
const LONG = [
  'test/adapters/dynamodb/item-store/scale.test.ts',
  'test/interleavings/model/contract.test.ts',
  'test/interleavings/planted-bugs.test.ts',
  'test/scripts/scale.test.ts',
]

/** Suites that kill processes. */
const CRASH = ['test/kill/**']

/** Suites that run several processes on one store or kill commands. */
const PROCESSES = ['test/processes/**']

/**
 * Unit tests that need a process per file, which costs 0.6 s of CPU each. They set the environment,
 * replace timers or SDK classes globally, or measure memory or the start of a process.
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
 * Slow suites of code that changes rarely; only `npm run test:wide` runs them. They cover the model
 * of DynamoDB, the rules for CDK templates, the functions under their IAM policies, the modules
 * that bundles share, and the models of bill and load. They also cover mutation tests, benches and
 * commands of scripts.
 */
const WIDE = [
  // The store's contracts over an emulator; `npm test` runs them over the engine of items.
  'test/contracts/dynamodb.test.ts',
  'test/iam/{functions,happy-paths}.test.ts',
  'test/interleavings/model/differential.test.ts',
  'test/lib/{door-uses,nag}.test.ts',
  'test/scripts/cost-units.test.ts',
  // Tests of tests and of tools.
  'test/architecture/layers.test.ts',
  'test/bench/**/*.test.ts',
  'test/lib/kept-resources.test.ts',
]

/**
 * Suites that run twice: on our own client of the store, as part of `unit` or WIDE, and on the AWS
 * SDK's client, by `test:long`.
 */
const ON_BOTH_CLIENTS = [
  'test/adapters/dynamodb/!(items|item-store|reply-stream)/**/*.test.ts',
  // The rest of its folder sends nothing by a client of the store.
  'test/adapters/dynamodb/reply-stream/reader-slots.test.ts',
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

/** Suites that mostly wait. For example, the gateway stops a hanging upstream only after 15 s. */
const WAITING = ['test/e2e/**/*.test.ts']

/** More workers than cores, because some workers wait. */
const WORKERS = availableParallelism() + 2
/** Puts projects into one group, which runs them in parallel. A group has one number of workers. */
const TOGETHER = { maxWorkers: WORKERS, sequence: { groupOrder: 1 } }

/** Suites that are not unit tests, neither in the project `unit` nor in `alone`. */
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
 * Timeout for a test that hangs. The value is generous, because a test on a busy machine takes many
 * times as long. A test that passes never waits for the timeout.
 */
const HANGS_MS = 300_000
/** The same timeout for the long forms, which try 200,000 schedules. */
const LONG_FORM_MS = 900_000

export default defineConfig({
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    pool: 'forks',
    // As in `npm start`; the default of 16 MB took 6 % more of the CPU time.
    execArgv: ['--max-semi-space-size=32'],
    setupFiles: ['./test/property-seed.ts'],
    // Node loads sources and tests itself, as for the gateway. Vite's runner took 25 % of the CPU
    // time.
    experimental: { viteModuleRunner: false },
    // Twins and commands of tests must not write into the developer's own CLI profiles.
    env: { XDG_CONFIG_HOME: join(TEMPORARY, 'config') },
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    // Ends a poll whose condition never becomes true.
    expect: { poll: { timeout: HANGS_MS / 3 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...NOT_UNIT, ...ALONE],
          // With isolation, starting processes and loading sources took as long as the tests
          // themselves.
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
          // Each suite starts its own gateway processes, so files share a worker: 0.6 s of CPU less
          // each.
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
