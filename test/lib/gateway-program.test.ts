/** The CDK app as `cdk` starts it: what a wrong setting says, and that a fresh clone needs no other command. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const REPO = join(import.meta.dirname, '../..')
const APP: readonly string[] = JSON.parse(readFileSync(join(REPO, 'cdk.json'), 'utf8')).app.split(
  ' ',
)
const folder = mkdtempSync(join(tmpdir(), 'skillgate-app-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The program of cdk.json, in `clone`. */
function synth(
  context: object,
  env: NodeJS.ProcessEnv = {},
  {
    clone = REPO,
    flags = [],
  }: { readonly clone?: string; readonly flags?: readonly string[] } = {},
) {
  const [program, ...words] = APP
  expect(program).toBe('node')
  const { status, stderr } = spawnSync(process.execPath, [...flags, ...words], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify(context), ...env },
  })
  return { status, stderr }
}

test('an unknown stage gets one line that names the known ones', () => {
  expect(synth({ stage: 'prodd', bundles: 'dist' })).toEqual({
    status: 1,
    stderr: 'stage: is "prodd"; give one of dev, prod, emulated\n',
  })
})

test('an unknown tail gets one line that names the known ones', () => {
  expect(synth({ stage: 'prod', replyTail: 'kinesis', bundles: 'dist' })).toEqual({
    status: 1,
    stderr: 'replyTail: is "kinesis"; give dynamodb-streams or partition\n',
  })
})

test('the emulated stage in a real account is refused in one line before anything is built', () => {
  const { status, stderr } = synth({ stage: 'emulated' }, { CDK_DEFAULT_ACCOUNT: '123456789012' })
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /^stage: emulated is for an emulator and account 123456789012 is none;.*\n$/,
  )
})

test('a Node that cannot run TypeScript starts the one of the clone', () => {
  const flags = ['--no-experimental-strip-types']
  expect(synth({ stage: 'prodd', bundles: 'dist' }, {}, { flags })).toEqual({
    status: 1,
    stderr: 'stage: is "prodd"; give one of dev, prod, emulated\n',
  })
})

test.each([[[]], [['--no-experimental-strip-types']]])(
  'a clone without packages gets one line that says to run npm ci, with the flags %j',
  (flags) => {
    const clone = join(folder, 'clone')
    mkdirSync(join(clone, 'bin'), { recursive: true })
    copyFileSync(join(REPO, 'bin/gateway.mjs'), join(clone, 'bin/gateway.mjs'))
    expect(synth({}, {}, { clone, flags })).toEqual({
      status: 1,
      stderr: 'The packages of the clone are missing: run npm ci in it first.\n',
    })
  },
)
