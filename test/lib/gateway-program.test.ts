/** The CDK app as `cdk` starts it: what a wrong setting says, and that a fresh clone needs no other command. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const REPO = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'skillgate-app-'))
afterAll(() => rmSync(folder, { recursive: true }))

function synth(context: object, env: NodeJS.ProcessEnv = {}) {
  const { status, stderr } = spawnSync(process.execPath, [join(REPO, 'bin/gateway.ts')], {
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
    stderr: 'replyTail: is "kinesis"; give one of dynamodb-streams, partition\n',
  })
})

test('the emulated stage in a real account is refused in one line before anything is built', () => {
  const { status, stderr } = synth({ stage: 'emulated' }, { CDK_DEFAULT_ACCOUNT: '123456789012' })
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /^stage: emulated is for an emulator and account 123456789012 is none;.*\n$/,
  )
})
