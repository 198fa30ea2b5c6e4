/**
 * `npm run migrate` on a store of the earlier service: its work, output, progress file and exit
 * code.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../adapters/crypto/system-clock.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { readMigrateOptions } from '../../../../cli/clone/migrate/options.ts'
import { openProgress } from '../../../../cli/clone/migrate/progress.ts'
import {
  formatMigrationSummary,
  runMigration,
  toExitCode,
} from '../../../../cli/clone/migrate/run.ts'
import { number, oldServiceOver, text } from '../../../contracts/v0-service.ts'
import { type V0World, v0World } from '../../../core/flow/migration/v0-world.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-migrate-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const QUIET = { progress: { show: () => {}, end: () => {} }, recordsInAll: undefined }
const APPLY = {
  dryRun: false,
  close: false,
  cursor: undefined,
  cursorFile: undefined,
  stepRecords: 2,
}

/** Five records in three steps: ada's three, and two users with a tier. */
async function threeSteps(): Promise<V0World> {
  const world = await v0World()
  await world.old.put('tier', 'bob', text('small'))
  await world.old.put('tier', 'cid', text('small'))
  return world
}

describe('options', () => {
  test.each([
    [[], 'give one of --dry-run and --apply'],
    [['--dry-run', '--apply'], 'give one of --dry-run and --apply'],
    [['--dry-run', '--close'], '--close: goes with --apply'],
    [
      ['--apply', '--cursor', 'x', '--cursor-file', 'y'],
      'give only one of --cursor and --cursor-file',
    ],
    [
      ['--apply', '--data', '.local', '--table', 'T'],
      '--data: goes with none of --table, --region and --endpoint',
    ],
    [['--apply', '--step', '0'], '--step: must be a whole number from 1 to 1000'],
    [['--apply', '--step', '1001'], '--step: must be a whole number from 1 to 1000'],
  ])('%j are refused', (args, why) => {
    expect(readMigrateOptions(args, {})).toEqual({ ok: false, error: why })
  })

  test('that are unknown are refused', () => {
    expect(readMigrateOptions(['--appply'], {})).toMatchObject({ ok: false })
  })

  test('name a table on AWS, or at any endpoint', () => {
    const aws = readMigrateOptions(['--apply', '--table', 'T', '--region', 'eu-west-1'], {})
    expect(aws).toMatchObject({
      value: { where: { kind: 'table', table: 'T', region: 'eu-west-1', endpoint: undefined } },
    })
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' }
    expect(readMigrateOptions(['--dry-run', '--step', '1000'], environment)).toMatchObject({
      value: {
        dryRun: true,
        stepRecords: 1_000,
        where: { kind: 'table', table: 'Gateway', endpoint: 'http://127.0.0.1:1' },
      },
    })
  })
})

describe('a run', () => {
  test('moves all records, reports it, and exits with 0', async () => {
    const world = await threeSteps()
    const outcome = await runMigration(world.ports, APPLY, QUIET)
    expect(formatMigrationSummary(outcome, APPLY)).toEqual([
      expect.stringMatching(
        /^up to \d+ records looked at: 4 moved, 0 folded in, 0 skipped, 12.5 credits$/,
      ),
    ])
    expect(toExitCode(outcome)).toBe(0)
  })

  test('that leaves records behind names each once and exits with 1', async () => {
    const world = await threeSteps()
    await world.old.put('credits', 'bob', number('-2'))
    const outcome = await runMigration(world.ports, APPLY, QUIET)
    expect(formatMigrationSummary(outcome, APPLY)).toEqual([
      expect.stringMatching(
        /^up to \d+ records looked at: 4 moved, 0 folded in, 1 skipped, 12.5 credits$/,
      ),
      'these records stay where they are:',
      '  credits:bob: is negative; settle the debt and write 0 or more',
    ])
    expect(toExitCode(outcome)).toBe(1)
  })

  test('that is dry says that it is, and changes nothing', async () => {
    const world = await threeSteps()
    const dry = { ...APPLY, dryRun: true }
    expect(formatMigrationSummary(await runMigration(world.ports, dry, QUIET), dry)).toEqual([
      'dry run, nothing was changed: up to 6 records looked at: 4 moved, 0 folded in, 0 skipped, 12.5 credits',
    ])
    expect((await world.ports.v0.read('ada')).profile).toBeUndefined()
  })

  test('that is interrupted says where to continue, and continues there', async () => {
    const world = await threeSteps()
    const cursorFile = join(folder, 'place')
    const kept = { ...APPLY, cursorFile }
    let scans = 0
    const { scan } = world.ports.v0
    const cut: typeof scan = (from) => {
      scans += 1
      return scans === 2 ? Promise.reject(new Error('the line is dead')) : scan(from)
    }
    const broken = { ...world.ports, v0: { ...world.ports.v0, scan: cut } }
    const outcome = await runMigration(broken, kept, QUIET)
    expect(formatMigrationSummary(outcome, kept).slice(1)).toEqual([
      'stopped: the line is dead',
      `go on with --cursor-file ${cursorFile}`,
    ])
    expect(formatMigrationSummary(outcome, APPLY).at(-1)).toMatch(/^go on with --cursor [\w-]+$/)
    expect(toExitCode(outcome)).toBe(1)
    expect(readFileSync(cursorFile, 'utf8')).toMatch(/^apply [\w-]+\n$/)
    const rest = await runMigration(world.ports, kept, QUIET)
    expect(rest).toMatchObject({ stopped: undefined })
    expect(existsSync(cursorFile)).toBe(false)
    expect((await world.profile('cid')).tier).toBe('small')
  })

  test('does not continue from the place of a dry run', async () => {
    const world = await threeSteps()
    const cursorFile = join(folder, 'place')
    writeFileSync(cursorFile, 'dry-run MTph\n')
    const outcome = await runMigration(world.ports, { ...APPLY, cursorFile }, QUIET)
    expect(outcome.stopped).toEqual({
      why: `${cursorFile}: holds the cursor of another kind of run (dry-run); remove the file or name another`,
      cursor: undefined,
    })
    expect(outcome.standing.records).toBe(0)
  })

  test('with a cursor that no run printed names the option and what it takes, and offers no way on', async () => {
    const world = await threeSteps()
    const cursorFile = join(folder, 'place')
    writeFileSync(cursorFile, 'apply nonsense\n')
    const rule =
      'must be the cursor where an earlier run stopped, unchanged; leave it out to start at the beginning'
    for (const [given, named] of [
      [{ cursor: 'nonsense' }, '--cursor'],
      [{ cursorFile }, `--cursor-file: the cursor in ${cursorFile}`],
    ] as const) {
      const options = { ...APPLY, ...given }
      const outcome = await runMigration(world.ports, options, QUIET)
      expect(formatMigrationSummary(outcome, options).slice(1)).toEqual([
        `stopped: ${named}: ${rule}`,
      ])
      expect(toExitCode(outcome)).toBe(1)
    }
  })
})

describe('progress', () => {
  const STANDING = {
    records: 500,
    recordsInAll: 2_000,
    moved: 3,
    folded: 1,
    credits: 4.5,
    skipped: 2,
  }
  const COUNTS = 'up to 500 records looked at: 3 moved, 1 folded in, 2 skipped, 4.5 credits'

  function shown(isTTY: boolean, columns = 200) {
    let [written, nowMs] = ['', 0]
    const terminal = { isTTY, columns, write: (more: string) => (written += more) }
    const progress = openProgress(terminal, () => nowMs)
    return { progress, written: () => written, wait: (ms: number) => (nowMs += ms) }
  }

  test('is a bar on a terminal, taken back at the end', () => {
    const { progress, written } = shown(true)
    progress.show(STANDING)
    expect(written()).toBe(`\r\u001b[2K██████░░░░░░░░░░░░░░░░░░  25 %  ${COUNTS}`)
    progress.end()
    expect(written().endsWith('\r\u001b[2K')).toBe(true)
  })

  test('never runs over its end, nor over the line', () => {
    const { progress, written } = shown(true, 40)
    progress.show({ ...STANDING, records: 9_000 })
    expect(written()).toBe('\r\u001b[2K████████████████████████ 100 %  up to 9')
  })

  test('is a plain line every five seconds elsewhere', () => {
    const { progress, wait, written } = shown(false)
    progress.show(STANDING)
    wait(4_999)
    progress.show(STANDING)
    expect(written()).toBe('')
    wait(1)
    progress.show(STANDING)
    progress.show(STANDING)
    progress.end()
    expect(written()).toBe(`${COUNTS}\n`)
  })
})

describe('the command', () => {
  const run = (...args: string[]) => {
    const command = ['cli/clone/main.ts', 'migrate', ...args]
    const { status, stderr, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' })
    return { status, stderr, lines: stdout.trimEnd().split('\n') }
  }

  test("moves the records in a stopped twin's folder, once", async () => {
    const { close, requests } = openLocalStore({
      file: join(folder, 'items.sqlite'),
      clock: systemClock(),
    })
    const old = oldServiceOver(requests, 'Gateway')
    await old.put('credits', 'ada', number('12.5'))
    await old.put('credits', 'bob', text('much'))
    await close()
    const first = run('--apply', '--data', folder)
    expect(first).toEqual({
      status: 1,
      stderr: '',
      lines: [
        'up to 500 records looked at: 2 moved, 0 folded in, 1 skipped, 12.5 credits',
        'these records stay where they are:',
        '  credits:bob: is not a decimal number; write a number of credits such as 12.5',
      ],
    })
    expect(run('--apply', '--data', folder).lines[0]).toBe(
      'up to 500 records looked at: 0 moved, 0 folded in, 1 skipped, 0 credits',
    )
  })

  test('shows how it is used, and exits with 2, when it does not understand', () => {
    const { status, stderr } = run()
    expect(status).toBe(2)
    expect(stderr).toContain('migrate: give one of --dry-run and --apply')
    expect(stderr).toContain('npm run migrate -- --dry-run | --apply [options]')
  })

  test('says how to name a store when none answered', () => {
    const { lines, status } = run('--dry-run', '--endpoint', 'http://127.0.0.1:1')
    expect(status).toBe(1)
    const [, why] = lines
    expect(why).toMatch(/^stopped: store: .* No record of table Gateway was read\. /)
    for (const option of ['--table', '--region', '--data', '--endpoint', 'AWS_PROFILE']) {
      expect(why).toContain(option)
    }
  })

  test('names a missing argument', () => {
    const { status, stderr } = run('--dry-run', '--data', folder)
    expect(status).toBe(1)
    expect(stderr).toContain('holds no store')
  })
})
