/** The CDK app as `cdk` starts it: what a wrong setting says, and that a fresh clone needs no other command. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
    stderr: 'stage: is "prodd"; give dev or prod (did you mean prod?)\n',
  })
})

test('a field that does not fit gets its file, stage, name, value and remedy, before anything is built', () => {
  const file = join(folder, 'wrong.json')
  writeFileSync(file, '{"stages": {"eu-1": {"like": "prod", "replyTail": "kinesis"}}}')
  expect(synth({ stage: 'eu-1', config: file, bundles: 'dist' })).toEqual({
    status: 1,
    stderr: `${file} does not fit:\n  stages.eu-1.replyTail: is "kinesis"; give dynamodb-streams or partition\n`,
  })
})

test('a stage with an account is refused with credentials of another one before anything is built', () => {
  const file = join(folder, 'account.json')
  writeFileSync(file, '{"stages": {"dev": {"account": "111111111111"}}}')
  const env = { CDK_DEFAULT_ACCOUNT: '123456789012', SKILLGATE_CONFIG: file }
  const { status, stderr } = synth({ stage: 'dev' }, env)
  expect(status).toBe(1)
  expect(stderr).toMatch(/^account: stage dev is for 111111111111, and these .* 123456789012;.*\n$/)
})

test('a Node that cannot run TypeScript starts the one of the clone', () => {
  const flags = ['--no-experimental-strip-types']
  expect(synth({ stage: 'prodd', bundles: 'dist' }, {}, { flags })).toEqual({
    status: 1,
    stderr: 'stage: is "prodd"; give dev or prod (did you mean prod?)\n',
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
